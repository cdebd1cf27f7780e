import SQLiteWatch
import TerminalUI

/// A screen of the watch dashboard, created from a scene for each frame.
///
/// To add a screen, add a type and an entry in the list of screens of ``WatchDashboard``. The
/// screen's key, its position in the footer and its line in the help are derived from the list.
package protocol WatchScreen: Sendable {
    /// The name, for the footer.
    static var title: String { get }
    /// A description for the help, at most 40 columns wide.
    static var help: String { get }
    /// The names of the parts, in the order in which Tab cycles through them.
    static var parts: [String] { get }
    /// The titles of the sortable columns.
    ///
    /// The array is empty if rows cannot be sorted or filtered.
    static var sortableTitles: [String] { get }

    /// Creates the screen for a scene.
    init(scene: WatchScene)

    /// The names of the selectable rows, from top to bottom.
    var rowNames: [String] { get }

    /// Returns the text that the `y` key copies for a selected row, or `nil` to copy the verdict.
    func copyText(of row: String) -> String?

    /// Returns the effect of Enter on a selected row.
    func opened(row: String) -> WatchOpening

    /// Draws the screen.
    func draw(on canvas: inout Canvas, in rect: Rect)
}

/// The effect of Enter on a row of a screen.
package enum WatchOpening: Sendable, Equatable {
    /// Expands or collapses the details of the row.
    case details
    /// Shows the database with this path on the first screen.
    case database(path: String)
    /// Shows details of the process with this label, on the processes screen.
    case process(label: String)
}

extension WatchScreen {
    package static var parts: [String] { [] }
    package static var sortableTitles: [String] { [] }
    package var rowNames: [String] { [] }
    package func copyText(of row: String) -> String? { row }
    package func opened(row: String) -> WatchOpening { .details }
}

/// The input of a screen of the watch dashboard.
package struct WatchScene: Sendable {
    /// The displayed database, or `nil` before the first report.
    let history: WatchHistory?
    /// All databases, in order of first report.
    let databases: [WatchHistory]
    /// The time window of lanes and charts, in seconds.
    let seconds: Double
    /// The selection, sorting and filter of this screen.
    let view: ListView
    /// The text to show if there is no report.
    let placeholder: String
    /// The limitations of the observation, as sentences.
    let notes: [String]
    /// The keys, for hints on screens.
    let keys: WatchKeys

    /// The displayed report.
    var report: WatchReport? { history?.report }

    /// The index of the part that fills the screen, in ``WatchScreen/parts``, or `nil` for all
    /// parts.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if it is the selected part.
    func markPart(_ part: Int, on canvas: inout Canvas, _ rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }

    /// Returns the separator between a title and its subtitle.
    func separator(_ canvas: Canvas) -> String { canvas.glyphs == .ascii ? "- " : "· " }

    /// Draws lines of text in the middle of a rectangle.
    func drawMessage(_ text: String, on canvas: inout Canvas, in rect: Rect) {
        let lines = TextWrapping.lines(of: text, width: min(rect.width - 4, 60))
        let top = max(0, (rect.height - lines.count) / 2)
        for (index, line) in lines.enumerated() where top + index < rect.height {
            let style = canvas.theme.style(index == 0 ? .text : .dim)
            canvas.write(line, in: rect.row(top + index), style: style, alignment: .center)
        }
    }
}
