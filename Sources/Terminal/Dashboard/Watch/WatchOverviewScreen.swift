import SQLiteWatch
import TerminalUI

/// The overview of a watched database, which adapts its panels to the size of the terminal.
struct WatchOverviewScreen: WatchScreen {
    static let title = "Overview"
    static let help = "overview: the database at a glance"
    static let parts = ["processes", "locks", "log", "tables", "episodes"]
    static let sortableTitles = WatchProcessList.sortableTitles

    let scene: WatchScene

    private enum Row: Int, CaseIterable {
        case verdict
        case lanes
        case locks
        case details
        case log
        case tables
        case episode
    }

    var rowNames: [String] {
        WatchProcessList.arranged(scene.history?.rows ?? [], view: scene.view).map(\.label)
    }

    func destination(forRow row: String) -> WatchOpening { .process(label: row) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let history = scene.history, let report = history.report else {
            scene.drawMessage(scene.placeholder, on: &canvas, in: rect)
            return
        }
        if let part = scene.expandedPart {
            let headerHeight = min(1, rect.height)
            let areas = rect.rows([headerHeight, rect.height - headerHeight])
            WatchVerdictLines(report: report).draw(on: &canvas, in: areas[0])
            draw(part, history: history, on: &canvas, in: areas[1])
            return
        }
        let heights = heights(history, in: rect.size)
        let rows = rect.rows(heights)
        func area(_ row: Row) -> Rect { rows[row.rawValue] }
        WatchVerdictLines(report: report).draw(on: &canvas, in: area(.verdict))
        if !area(.lanes).isEmpty { draw(0, history: history, on: &canvas, in: area(.lanes)) }
        if !area(.locks).isEmpty { draw(1, history: history, on: &canvas, in: area(.locks)) }
        if !area(.details).isEmpty { drawDetails(history, on: &canvas, in: area(.details)) }
        if !area(.log).isEmpty {
            WatchLogPanel(history: history, seconds: scene.seconds)
                .drawLine(on: &canvas, in: area(.log).inset(horizontal: 2))
        }
        if !area(.tables).isEmpty {
            WatchTablesPanel(history: history)
                .drawLine(on: &canvas, in: area(.tables).inset(horizontal: 2))
        }
        if !area(.episode).isEmpty {
            WatchEpisodeList.drawLine(
                history,
                on: &canvas,
                in: area(.episode).inset(horizontal: 2)
            )
        }
    }

    private func heights(_ history: WatchHistory, in size: Size) -> [Int] {
        let count = max(history.rows.count, 1)
        // If there are few processes, the detail panels fit even on a short screen.
        let isShort = size.height < 27 && size.height - 2 * count < 16
        let hasTable = size.height >= 18
        let lanes = WatchLanesPanel(
            history: history,
            seconds: scene.seconds,
            view: scene.view
        )
        let table = Track(
            minimum: min(count, isShort ? 2 : 6) + 3,
            ideal: min(count, isShort ? 4 : 10) + 3,
            maximum: count + 3,
            priority: 80
        )
        let line = isShort ? 1 : 0
        let tracks = Row.allCases.map { row in
            switch row {
            case .verdict: WatchVerdictLines.track(in: size)
            case .lanes: lanes.track(isShort: isShort, hasTable: hasTable)
            case .locks: hasTable ? table : Track.fixed(0, priority: 0)
            case .details:
                isShort
                    ? Track.fixed(0, priority: 0)
                    : Track(minimum: 7, ideal: 11, maximum: 18, priority: 60, flex: 3)
            case .log: Track.fixed(line, priority: 85)
            case .tables: Track.fixed(history.report?.wal == nil ? 0 : line, priority: 40)
            case .episode: Track.fixed(line, priority: 50)
            }
        }
        return Track.lengths(of: tracks, available: size.height)
    }

    /// Draws the part at an index in ``parts``.
    private func draw(
        _ part: Int,
        history: WatchHistory,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        canvas.clipped(to: rect) { canvas in
            switch part {
            case 0:
                WatchLanesPanel(
                    history: history,
                    seconds: scene.seconds,
                    view: scene.view
                ).draw(on: &canvas, in: rect)
            case 1: WatchProcessList.draw(scene, on: &canvas, in: rect)
            case 2:
                WatchLogPanel(history: history, seconds: scene.seconds).draw(on: &canvas, in: rect)
            case 3: WatchTablesPanel(history: history).draw(on: &canvas, in: rect)
            default: WatchEpisodeList.drawPanel(history, on: &canvas, in: rect)
            }
            scene.markPart(part, on: &canvas, in: rect)
        }
    }

    private func drawDetails(
        _ history: WatchHistory,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        let tracks = [
            Track(minimum: 30, ideal: 42, maximum: .max, priority: 9, flex: 2),
            Track(minimum: 28, ideal: 30, maximum: 48, priority: 7, flex: 1),
            Track(minimum: 26, ideal: 48, maximum: .max, priority: 8, flex: 2),
        ]
        let columns = rect.columns(Track.lengths(of: tracks, available: rect.width))
        for (offset, column) in columns.enumerated() where !column.isEmpty {
            draw(2 + offset, history: history, on: &canvas, in: column)
        }
    }
}
