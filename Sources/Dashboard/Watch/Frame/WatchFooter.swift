import TerminalUI
import Text

/// The last rows of the watch dashboard, with the keys, the screens, and the cost of watching.
struct WatchFooter {
    let dashboard: WatchDashboard

    func draw(on canvas: inout Canvas, in rect: Rect) {
        var prompt: PromptState?
        if case .prompt(let state)? = dashboard.overlay { prompt = state }
        FooterBar(
            commands: commands,
            screens: screens,
            prompt: prompt,
            cost: cost,
            message: dashboard.message.map { message in
                Span(message.text, canvas.theme.raised(message.isWarning ? .warning : .text))
            }
        ).draw(on: &canvas, in: rect)
    }

    /// The CPU time of the dashboard, including sampling and helper processes.
    private var cost: String {
        guard let history = dashboard.databases.first, history.moments.count > 0 else { return "" }
        var (cpuSeconds, seconds) = (0.0, 0.0)
        // Exclude the first interval, during which the helper processes start.
        for index in max(1, history.moments.count - 12)..<max(1, history.moments.count) {
            let moment = history.moments[index]
            cpuSeconds += moment.cpuShare * moment.seconds
            seconds += moment.seconds
        }
        return seconds > 0 ? "poolgauge \(HumanUnits.percent(cpuSeconds / seconds)) CPU" : ""
    }

    private var screens: [FooterBar.Screen] {
        dashboard.screens.enumerated().compactMap { index, screen in
            dashboard.keys.key(for: .screen(index)).map { key in
                FooterBar.Screen(key: key, title: screen.title, isShown: index == dashboard.screen)
            }
        }
    }

    /// Whether Enter opens the database in the selected row.
    private var opensDatabase: Bool {
        let content = dashboard.content
        guard let row = dashboard.view.selected ?? content.rowNames.first,
            case .database = content.destination(forRow: row)
        else { return false }
        return true
    }

    /// The relevant keys of this screen, most important first.
    private var commands: [KeyBar.Item] {
        let view = dashboard.view
        let screen = dashboard.screens[dashboard.screen]
        return dashboard.keys.bindings.compactMap { binding in
            guard var priority = binding.priority, let key = binding.keys.first else { return nil }
            var name = binding.name
            switch binding.command {
            case .nextDatabase where dashboard.displayedDatabases.count < 2: return nil
            case .common(.filter), .common(.sort), .common(.reverse):
                guard !screen.sortableTitles.isEmpty else { return nil }
            case .common(.focusNext):
                guard !screen.parts.isEmpty else { return nil }
            case .common(.expand):
                guard view.part != nil || !screen.sortableTitles.isEmpty else { return nil }
                if let part = view.part, screen.parts.indices.contains(part) {
                    name = view.isExpanded ? "all parts" : screen.parts[part] + " only"
                    priority = 90
                } else if opensDatabase {
                    name = "open"
                }
            default: break
            }
            return KeyBar.Item(key: key.label, name: name, priority: priority, target: key)
        }.sortedByPriority()
    }
}
