import Telemetry

extension DashboardCommand {
    /// Whether the command applies to an attached program, and not only to a run.
    func applies(to program: ProgramStatus) -> Bool {
        switch self {
        case .latency, .compare, .workload: false
        // An agent interrupts all statements.
        case .nextArm, .pauseLoad, .snapshot, .release, .interrupt: false
        case .interruptAll, .checkpoint: program.allowsControl
        default: true
        }
    }

    /// The help in the display of a program if it differs from the help in the display of a run.
    var helpForProgram: String? {
        switch self {
        case .overview: "overview: the database at a glance"
        case .pause: "freeze the display"
        case .seek: "go to a time since the start"
        case .checkpoint: "run a passive checkpoint"
        case .quit: "quit; the program continues"
        default: nil
        }
    }
}

extension DashboardModel {
    /// The attached program, or `nil` for a run.
    var program: ProgramStatus? { history.latest?.program }

    /// Explains why a command does not apply to an attached program.
    func refusal(_ command: DashboardCommand, for program: ProgramStatus) -> String {
        switch command {
        case .latency, .compare, .workload: return "this screen requires a run's load"
        case .interrupt where program.allowsControl:
            let all = keys.key(for: .interruptAll).map { "; \($0.label) interrupts all" } ?? ""
            return "a program's connections cannot be interrupted one by one" + all
        case .interrupt, .interruptAll, .checkpoint:
            return "the program does not allow control; start its agent with allowsControl: true"
        default: return "this key requires a run's load"
        }
    }
}
