import Findings
import SQLiteWatch
import TerminalUI

/// A screen of the watch dashboard, created from a scene for each frame.
///
/// To add a screen, add a type and an entry in ``WatchScreens``. The entry defines the screen's
/// key, its position in the footer, and its line in the help.
package protocol WatchScreen: Sendable {
    /// The name in the footer.
    static var title: String { get }
    /// The description in the help, at most 40 columns wide.
    static var help: String { get }
    /// The names of the parts, in the order in which the Tab key selects them.
    static var parts: [String] { get }
    /// The titles of the sortable columns, or an empty array if rows cannot be sorted or filtered.
    static var sortableTitles: [String] { get }

    init(scene: WatchScene)

    /// The names of the selectable rows, from top to bottom.
    var rowNames: [String] { get }

    /// Returns the text to copy for a selected row, or `nil` to copy the verdict.
    func copyText(of row: String) -> String?

    func destination(forRow row: String) -> WatchOpening

    func draw(on canvas: inout Canvas, in rect: Rect)
}

/// The effect of Enter on a row.
package enum WatchOpening: Sendable, Equatable {
    /// Shows or hides the details of the row.
    case details
    /// Shows the database at a path on the first screen.
    case database(path: String)
    /// Shows the process with a label on the processes screen.
    case process(label: String)
}

extension WatchScreen {
    package static var parts: [String] { [] }
    package static var sortableTitles: [String] { [] }
    package var rowNames: [String] { [] }
    package func copyText(of row: String) -> String? { row }
    package func destination(forRow row: String) -> WatchOpening { .details }
}

package struct WatchScene: Sendable {
    /// The displayed database, or `nil` before the first report.
    let history: WatchHistory?
    /// All databases, in the order of their first reports.
    let databases: [WatchHistory]
    /// The time window of lanes and charts, in seconds.
    let seconds: Double
    let view: ListView
    /// The text to show if there is no report.
    let placeholder: String
    /// The limitations of the observation, as sentences.
    let notes: [String]
    /// The keys to mention in hints.
    let keys: WatchKeys

    var report: WatchReport? { history?.report }

    /// The index of the expanded part in ``WatchScreen/parts``, or `nil` to show all parts.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if its part is selected.
    func markPart(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }

    /// Returns a panel for SQL, with the trace's level and overhead in its border.
    func tracingPanel(_ title: String, subtitle: String, theme: Theme) -> Panel {
        Panel(
            title: title,
            subtitle: subtitle,
            legend: [[Span(TracingLine.text(report), theme.style(.dim))]]
        )
    }

    func drawMessage(_ text: String, on canvas: inout Canvas, in rect: Rect) {
        let lines = TextWrapping.lines(of: text, width: min(rect.width - 4, 60))
        let top = max(0, (rect.height - lines.count) / 2)
        for (index, line) in lines.enumerated() where top + index < rect.height {
            let style = canvas.theme.style(index == 0 ? .text : .dim)
            canvas.write(line, in: rect.row(top + index), style: style, alignment: .center)
        }
    }
}
