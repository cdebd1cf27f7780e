import TerminalUI

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
