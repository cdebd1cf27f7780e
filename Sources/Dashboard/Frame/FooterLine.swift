import TerminalUI

/// The last rows: the screens, the keys that matter, and what the display itself costs.
struct FooterLine {
    let keys: DashboardKeys
    let screen: DashboardScreen
    let displayCPUShare: Double?
    let overlay: Overlay?
    /// What is selected on the screen.
    let view: ListView

    /// The rows that it takes on a screen of this size.
    func height(in size: Size) -> Int { size.height >= 30 && size.width >= 80 ? 2 : 1 }

    /// Draws the rows; where there is one, the screens' names give way to their keys.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        if case .prompt(let prompt)? = overlay {
            if rect.height > 1 { drawKeys(on: &canvas, in: rect.row(0)) }
            Prompt(
                label: prompt.purpose.label,
                text: prompt.text,
                hint: prompt.purpose.hint,
                problem: prompt.problem
            ).draw(on: &canvas, in: rect.row(rect.height - 1))
            return
        }
        if rect.height > 1 {
            drawKeys(on: &canvas, in: rect.row(0))
            bar(screens(areNamed: true)).draw(on: &canvas, in: rect.row(1))
        } else {
            bar(screens(areNamed: false) + commands).draw(on: &canvas, in: rect.row(0))
        }
    }

    private func drawKeys(on canvas: inout Canvas, in row: Rect) {
        KeyBar(items: commands).draw(on: &canvas, in: row)
    }

    private func bar(_ items: [KeyBar.Item]) -> KeyBar {
        let cpu = displayCPUShare.map { "display \(HumanUnits.percent($0)) CPU" } ?? ""
        return KeyBar(items: items, remark: cpu, remarkPriority: 5)
    }

    private func screens(areNamed: Bool) -> [KeyBar.Item] {
        DashboardScreen.allCases.compactMap { screen in
            let command = DashboardCommand.allCases.first { $0.screen == screen }
            guard let command, let key = keys.key(for: command) else { return nil }
            let isShown = screen == self.screen
            return KeyBar.Item(
                key: key.label,
                name: areNamed || isShown ? screen.title : "",
                priority: isShown ? 40 : 35,
                target: key,
                isSelected: isShown
            )
        }
    }

    /// What Enter would do where it is not about a row.
    private var expansion: String? {
        if view.isExpanded, view.part != nil || screen == .latency { return "all parts" }
        if screen == .latency { return "pictures alone" }
        return view.part.map { screen.parts[$0] + " alone" }
    }

    /// The keys that do something on this screen, the most important first.
    private var commands: [KeyBar.Item] {
        keys.bindings.compactMap { binding in
            guard let priority = binding.priority, let key = binding.keys.first,
                binding.command.isUseful(on: screen, view)
            else { return nil }
            let part = binding.command == .expand ? expansion : nil
            return KeyBar.Item(
                key: key.label,
                name: part ?? binding.name,
                priority: view.part == nil || part == nil ? priority : 90,
                target: key
            )
        }.enumerated().sorted { one, other in
            one.element.priority == other.element.priority
                ? one.offset < other.offset : one.element.priority > other.element.priority
        }.map(\.element)
    }
}

extension DashboardCommand {
    /// Whether the key bar of a screen should have it.
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

extension PromptState.Purpose {
    /// What stands before the text.
    fileprivate var label: String {
        switch self {
        case .filter: "filter"
        case .seek: "go to"
        }
    }

    /// What can be typed.
    fileprivate var hint: String {
        switch self {
        case .filter: "rows that contain it; Enter keeps, Esc undoes"
        case .seek: "12.5 or 1:05 of the run, -10 before now; Enter goes, Esc leaves"
        }
    }
}
