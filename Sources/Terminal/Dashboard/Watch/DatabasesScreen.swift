import SQLiteWatch
import TerminalUI
import Text

/// The screen with all watched databases, busiest first.
///
/// The Enter key opens the selected database.
struct DatabasesScreen: WatchScreen {
    static let title = "Databases"
    static let help = "databases: full list; Enter opens one"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WatchHistory>(
        columns: [
            Listing.Column(
                "database",
                Track(minimum: 14, ideal: 40, maximum: .max, priority: 20, flex: 3),
                rank: { .text($0.path) }
            ) { Span(Escaping.terminal($0.path), $1.bold(.text)) },
            Listing.Column("mode", .fixed(11, priority: 15), rank: { .text($0.mode) }) {
                Span($0.mode, $1.style($0.report?.file.state == .present ? .text : .warning))
            },
            number("processes", width: 9, priority: 17) {
                Double($0.report?.processes.count ?? 0)
            } text: {
                "\($0.report?.processes.count ?? 0)"
            },
            number("commits", width: 9, priority: 19) {
                $0.rate(\.commits)
            } text: {
                $0.report?.wal.map { $0.commits == nil } ?? false
                    ? "?" : HumanUnits.rate($0.rate(\.commits))
            },
            number("CPU", width: 6, priority: 16) {
                $0.cpuShare
            } text: {
                HumanUnits.percent($0.cpuShare)
            },
            number("log", width: 9, priority: 18) {
                Double($0.report?.wal?.bytes ?? 0)
            } text: {
                $0.report?.wal.map { HumanUnits.bytes($0.bytes) } ?? ""
            },
            Listing.Column(
                "verdict",
                Track(minimum: 12, ideal: 24, maximum: .max, priority: 10, flex: 2)
            ) { history, theme in
                let verdict = history.report?.verdict
                let hasNoFindings = verdict?.kind == .nothing
                return Span(
                    hasNoFindings ? "nothing unusual" : verdict?.text ?? "",
                    theme.style(hasNoFindings ? .dim : .warning)
                )
            },
        ],
        name: \.path
    )

    private static func number(
        _ title: String,
        width: Int,
        priority: Int,
        _ value: @escaping @Sendable (WatchHistory) -> Double,
        text: @escaping @Sendable (WatchHistory) -> String
    ) -> Listing<WatchHistory>.Column {
        Listing.Column(
            title,
            .fixed(width, priority: priority),
            alignment: .trailing,
            rank: { .number(value($0)) },
            cell: { Span(text($0), $1.style(value($0) > 0 ? .text : .dim)) }
        )
    }

    /// The databases, sorted by commit rate and then by the CPU time of their processes.
    private var ranked: [WatchHistory] {
        scene.databases.map { history in
            (history, history.rate(\.commits), history.cpuShare)
        }.sorted { lhs, rhs in
            (lhs.1, lhs.2, rhs.0.path) > (rhs.1, rhs.2, lhs.0.path)
        }.map(\.0)
    }

    var rowNames: [String] { Self.listing.arranged(ranked, view: scene.view).map(\.path) }

    func destination(forRow row: String) -> WatchOpening { .database(path: row) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let notes = notes(width: rect.width - 4)
        let room = rect.height >= 16 ? min(notes.count, 4) : 0
        let areas = rect.rows([rect.height - room, room])
        Self.listing.draw(
            ranked,
            view: scene.view,
            in: Panel(
                title: "Databases",
                subtitle: "busiest first",
                remark: HumanUnits.counted(ranked.count, "database", "databases")
            ),
            item: "database",
            placeholder: scene.placeholder,
            on: &canvas,
            in: areas[0]
        )
        for (index, line) in notes.prefix(room).enumerated() {
            canvas.write(
                line,
                in: areas[1].row(index).inset(horizontal: 2),
                style: canvas.theme.style(.dim),
                alignment: .leading
            )
        }
    }

    private func notes(width: Int) -> [String] {
        var allNotes: [String] = scene.notes
        for history in scene.databases {
            for note in history.report?.notes ?? [] where !allNotes.contains(note) {
                allNotes.append(note)
            }
        }
        return allNotes.flatMap { TextWrapping.lines(of: $0, width: width) }
    }
}

extension WatchHistory {
    fileprivate var mode: String { report.map { WatchLabels.mode($0.file) } ?? "" }

    /// The CPU time of all processes that use the database, as a share of one CPU.
    fileprivate var cpuShare: Double {
        rows.reduce(0) { $0 + ($1.cpuShare ?? 0) }
    }
}
