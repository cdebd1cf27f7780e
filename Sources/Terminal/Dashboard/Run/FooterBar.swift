import Telemetry
import TerminalUI
import Text

/// The last rows of a dashboard, with the main keys, the screens, and the cost of the display.
struct FooterBar {
    struct Screen {
        let key: Key
        let title: String
        let isShown: Bool
    }

    /// The relevant keys, most important first.
    let commands: [KeyBar.Item]
    let screens: [Screen]
    let prompt: PromptState?
    let cost: String
    /// A message to show in place of the keys, or `nil` for no message.
    var message: Span?

    static func height(in size: Size) -> Int { size.height >= 30 && size.width >= 80 ? 2 : 1 }

    /// Draws the rows.
    ///
    /// If only one row fits, only the displayed screen has a title.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        if let prompt {
            if rect.height > 1 { drawKeys(on: &canvas, in: rect.row(0)) }
            Prompt(
                label: prompt.purpose.label,
                text: prompt.text,
                hints: prompt.purpose.hints,
                problem: prompt.problem
            ).draw(on: &canvas, in: rect.row(rect.height - 1))
        } else if rect.height > 1 {
            drawKeys(on: &canvas, in: rect.row(0))
            bar(screenItems(showsAllTitles: true)).draw(on: &canvas, in: rect.row(1))
        } else if message != nil {
            drawKeys(on: &canvas, in: rect.row(0))
        } else {
            bar(screenItems(showsAllTitles: false) + commands).draw(on: &canvas, in: rect.row(0))
        }
    }

    private func drawKeys(on canvas: inout Canvas, in row: Rect) {
        guard let message else {
            KeyBar(items: commands).draw(on: &canvas, in: row)
            return
        }
        canvas.fill(row, style: canvas.theme.raised(.text))
        canvas.write([message], x: row.minX + 1, y: row.minY, limit: row.width - 2)
    }

    private func bar(_ items: [KeyBar.Item]) -> KeyBar {
        KeyBar(items: items, remark: cost, remarkPriority: 5)
    }

    private func screenItems(showsAllTitles: Bool) -> [KeyBar.Item] {
        screens.map { screen in
            KeyBar.Item(
                key: screen.key.label,
                name: showsAllTitles || screen.isShown ? screen.title : "",
                priority: screen.isShown ? 40 : 35,
                target: screen.key,
                isSelected: screen.isShown
            )
        }
    }
}

extension [KeyBar.Item] {
    /// Returns the items in descending order of priority.
    ///
    /// Items with the same priority keep their order.
    func sortedByPriority() -> [KeyBar.Item] {
        enumerated().sorted { lhs, rhs in
            lhs.element.priority == rhs.element.priority
                ? lhs.offset < rhs.offset : lhs.element.priority > rhs.element.priority
        }.map(\.element)
    }
}

extension PromptState.Purpose {
    fileprivate var label: String {
        switch self {
        case .filter: "filter"
        case .seek: "go to"
        }
    }

    /// Equivalent hints, longest first.
    fileprivate var hints: [String] {
        switch self {
        case .filter: ["show rows with this text; Enter applies, Esc cancels"]
        case .seek:
            [
                "a time since the start, such as 12.5 or 1:05, or -10 for 10 s ago; "
                    + "Enter confirms, Esc cancels",
                "12.5 or 1:05 since the start, or -10 for 10 s ago; Esc cancels",
                "12.5 or 1:05 since the start, or -10",
            ]
        }
    }
}

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
            !screen.type.sortableTitles.isEmpty
        case .expand: screen.type.canExpand(view)
        case .interrupt: screen.type.listsConnections
        default: true
        }
    }
}

/// The first row of a dashboard, with the state on the right.
struct HeaderBar {
    /// A segment of the row, shown completely or not at all.
    struct Segment {
        var spans: [Span]
        /// The importance of the segment if the row is too narrow for all segments.
        ///
        /// Segments with the lowest priority are omitted first.
        var priority: Int
    }

    let segments: [Segment]
    let state: (mark: String, text: String, role: Role)
    /// Whether a recording is in progress.
    var isRecording = false

    /// Draws the state and the segments that fit.
    func draw(on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        var stateStyle = theme.raised(state.role)
        stateStyle.attributes.insert(.bold)
        var stateSpans = [Span(" \(state.mark) \(state.text) ", stateStyle)]
        if isRecording {
            var style = theme.raised(.error)
            style.attributes.insert(.bold)
            stateSpans.insert(Span(" ● REC ", style), at: 0)
        }
        let segments = segments + [Segment(spans: stateSpans, priority: 100)]
        let tracks = segments.map { segment in
            Track.fixed(canvas.width(of: segment.spans), priority: segment.priority)
        }
        let widths = Track.lengths(of: tracks, available: row.width - 1, spacing: 2)
        var x = row.minX + 1
        for (segment, width) in zip(segments.dropLast(), widths) where width > 0 {
            canvas.write(segment.spans, x: x, y: row.minY, limit: width)
            x += width + 2
        }
        if let width = widths.last, width > 0 {
            canvas.write(stateSpans, x: row.maxX - width, y: row.minY)
        }
    }
}
