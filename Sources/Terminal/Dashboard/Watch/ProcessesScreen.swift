import SQLiteWatch
import TerminalUI

/// The screen with a table of processes and details of the selected process.
struct ProcessesScreen: WatchScreen {
    static let title = "Processes"
    static let help = "processes: their locks in detail"
    static let parts = ["table", "details"]
    static let sortableTitles = WatchProcessList.sortableTitles

    let scene: WatchScene

    private var rows: [WatchRow] {
        WatchProcessList.arranged(scene.history?.rows ?? [], view: scene.view)
    }

    var rowNames: [String] { rows.map(\.label) }

    func copyText(of row: String) -> String? {
        let process = scene.history?.rows.first { $0.label == row }?.process
        return process?.commandLine ?? row
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let history = scene.history else { return }
        let rows = rows
        if let part = scene.expandedPart {
            draw(part, rows: rows, history: history, on: &canvas, in: rect)
            return
        }
        let isExpanded = scene.view.isExpanded
        let table = Track(
            minimum: min(rows.count, isExpanded ? 2 : 4) + 3,
            ideal: min(rows.count, isExpanded ? 4 : 12) + 3,
            maximum: max(rows.count, 1) + 3,
            priority: 9,
            flex: isExpanded ? 0 : 2
        )
        let details = Track(
            minimum: 6,
            ideal: isExpanded ? rect.height : 10,
            priority: isExpanded ? 10 : 8
        )
        let areas = rect.rows(Track.lengths(of: [table, details], available: rect.height))
        for (part, area) in areas.enumerated() where !area.isEmpty {
            draw(part, rows: rows, history: history, on: &canvas, in: area)
        }
    }

    private func draw(
        _ part: Int,
        rows: [WatchRow],
        history: WatchHistory,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        canvas.clipped(to: rect) { canvas in
            if part == 0 {
                WatchProcessList.draw(scene, on: &canvas, in: rect)
            } else if let row = rows.first(where: { $0.label == scene.view.selected })
                ?? (scene.view.selected == nil ? rows.first : nil)
            {
                WatchProcessDetails(row: row, history: history, seconds: scene.seconds)
                    .draw(on: &canvas, in: rect)
            } else {
                let name = scene.view.selected ?? ""
                scene.drawMessage(
                    rows.isEmpty
                        ? "There is no process to show."
                        : "\(name) does not use the database at this time.",
                    on: &canvas,
                    in: rect
                )
            }
            scene.markPart(part, on: &canvas, in: rect)
        }
    }
}
