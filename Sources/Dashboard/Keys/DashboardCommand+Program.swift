import Telemetry

extension DashboardCommand {
    /// Returns whether the command is available for an attached program.
    func applies(to program: ProgramStatus) -> Bool {
        switch self {
        case .latency, .compare, .workload: false
        // An agent interrupts all statements.
        case .nextArm, .pauseLoad, .snapshot, .release, .interrupt: false
        case .interruptAll, .checkpoint: program.allowsControl
        default: true
        }
    }

    /// The help text for an attached program, if it differs from the help text for a run.
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
    var program: ProgramStatus? { history.displayedSample?.program }

    /// Returns the reason that a command is not available for an attached program.
    func refusal(_ command: DashboardCommand, for program: ProgramStatus) -> String {
        switch command {
        case .latency, .compare, .workload: return "this screen requires a run's load"
        case .interrupt where program.allowsControl:
            let hint = keys.key(for: .interruptAll).map { "; \($0.label) interrupts all" } ?? ""
            return "a program's connections cannot be interrupted one by one" + hint
        case .interrupt, .interruptAll, .checkpoint:
            return "the program does not allow control; start its agent with allowsControl: true"
        default: return "this key requires a run's load"
        }
    }
}
