import Telemetry
import TerminalUI
import Text

/// The last rows of the run dashboard, with the screens, the main keys, and the cost of the
/// display.
struct FooterLine {
    let keys: DashboardKeys
    let screen: DashboardScreen
    let displayCPUShare: Double?
    let overlay: Overlay?
    let view: ListView
    /// The attached program, or `nil` for a run.
    var program: ProgramStatus?
    /// A message to show in place of the keys, or `nil` for no message.
    var message: Span?

    func height(in size: Size) -> Int { FooterBar.height(in: size) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        var prompt: PromptState?
        if case .prompt(let state)? = overlay { prompt = state }
        FooterBar(
            commands: commands,
            screens: screens,
            prompt: prompt,
            cost: displayCPUShare.map { "display \(HumanUnits.percent($0)) CPU" } ?? "",
            message: message
        ).draw(on: &canvas, in: rect)
    }

    private var screens: [FooterBar.Screen] {
        DashboardScreen.allCases.compactMap { screen in
            let command = DashboardCommand.allCases.first { $0.screen == screen }
            guard let command, applies(command), let key = keys.key(for: command) else {
                return nil
            }
            return FooterBar.Screen(key: key, title: screen.title, isShown: screen == self.screen)
        }
    }

    private func applies(_ command: DashboardCommand) -> Bool {
        program.map(command.applies) ?? true
    }

    /// The effect of Enter on a part of the screen, or `nil` if Enter applies to a row.
    private var expansion: String? {
        if view.isExpanded, view.part != nil || screen == .latency { return "all parts" }
        if screen == .latency { return "charts only" }
        return view.part.map { screen.parts[$0] + " only" }
    }

    /// The relevant keys of this screen, most important first.
    private var commands: [KeyBar.Item] {
        keys.bindings.compactMap { binding in
            guard let priority = binding.priority, let key = binding.keys.first,
                applies(binding.command), binding.command.isUseful(on: screen, view)
            else { return nil }
            let part = binding.command == .expand ? expansion : nil
            return KeyBar.Item(
                key: key.label,
                name: part ?? binding.name,
                priority: view.part == nil || part == nil ? priority : 90,
                target: key
            )
        }.sortedByPriority()
    }
}

extension DashboardCommand {
    fileprivate func isUseful(on screen: DashboardScreen, _ view: ListView) -> Bool {
        switch self {
        case .filter, .sort, .reverse:
            screen == .connections || screen == .waiters || screen == .snapshots
        case .expand:
            switch screen {
            case .connections, .latency: true
            case .overview: view.part != nil || view.selected != nil
            default: view.part != nil
            }
        case .interrupt: screen == .overview || screen == .connections
        default: true
        }
    }
}
