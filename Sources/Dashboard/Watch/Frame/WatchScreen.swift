import SQLiteWatch
import TerminalUI

/// A screen of the watch dashboard: created from a scene for each frame, and drawn.
///
/// A new screen is one type, and one entry in the list that ``WatchDashboard`` is created with: its
/// key, its place in the footer and its line in the help follow from the list.
package protocol WatchScreen: Sendable {
    /// Its name, for the footer.
    static var title: String { get }
    /// What it shows, in at most 40 columns, for the help.
    static var help: String { get }
    /// What its parts show, in the order in which Tab chooses them.
    static var parts: [String] { get }
    /// The titles of the columns that its rows can be sorted by; empty where rows have no order to
    /// choose, and then no filter either.
    static var sortableTitles: [String] { get }

    /// Creates the screen over what was collected.
    init(scene: WatchScene)

    /// The names of the rows that can be selected, in the order in which they are shown.
    var rowNames: [String] { get }

    /// What `y` copies while a row is selected; nil for the verdict.
    func copyText(of row: String) -> String?

    /// What Enter does on a selected row.
    func opened(row: String) -> WatchOpening

    /// Draws the screen.
    func draw(on canvas: inout Canvas, in rect: Rect)
}

/// What Enter does on a row of a screen.
package enum WatchOpening: Sendable, Equatable {
    /// It gives the row's details the room of the other parts, and back.
    case details
    /// It shows the database with this path on the first screen.
    case database(path: String)
    /// It shows the process with this label in detail, on the screen of processes.
    case process(label: String)
}

extension WatchScreen {
    package static var parts: [String] { [] }
    package static var sortableTitles: [String] { [] }
    package var rowNames: [String] { [] }
    package func copyText(of row: String) -> String? { row }
    package func opened(row: String) -> WatchOpening { .details }
}

/// What a screen of the watch dashboard draws from.
package struct WatchScene: Sendable {
    /// The database that is shown; nil before the first report.
    let history: WatchHistory?
    /// All databases, in the order in which they were first seen.
    let databases: [WatchHistory]
    /// The seconds that lanes and charts show.
    let seconds: Double
    /// What is selected, sorted and filtered on this screen.
    let view: ListView
    /// What to say where there is no report: what is searched for or waited for.
    let placeholder: String
    /// What cannot be seen, in sentences.
    let notes: [String]
    /// The keys, for hints on screens.
    let keys: WatchKeys

    /// The report that is shown.
    var report: WatchReport? { history?.report }

    /// The part that fills the screen, by its place in ``WatchScreen/parts``; nil for all.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if it is the part that was chosen.
    func markPart(_ part: Int, on canvas: inout Canvas, _ rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }

    /// The sign between a title and its subtitle.
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
