import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The screen with the log over time, the pins, and facts about the database file.
struct LogScreen: WatchScreen {
    static let title = "Log"
    static let help = "log: its size, its pins, and the file"
    static let parts = ["log", "pins", "file"]
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WatchedPin>(
        columns: [
            Listing.Column(
                "pinned by",
                Track(minimum: 10, ideal: 20, maximum: 28, priority: 20, flex: 0),
                rank: { .text($0.name) }
            ) { Span(WatchLabels.process($0.name, pid: $0.pid), $1.bold(.text)) },
            number("mark", width: 4, priority: 12) { UInt64(max(0, $0.mark)) },
            number("frame", width: 10, priority: 13) { $0.frame },
            number("frames", width: 11, priority: 18) { $0.frames },
            .number("bytes", width: 10, priority: 19, { Double($0.bytes) }) {
                Span(HumanUnits.bytes($0.bytes), $1.bold(.warning))
            },
            .number("for at least", width: 12, priority: 17, \.seconds) {
                Span(WatchLabels.duration($0.seconds), $1.bold(.warning))
            },
        ],
        name: { WatchLabels.process($0.name, pid: $0.pid) }
    )

    private static func number(
        _ title: String,
        width: Int,
        priority: Int,
        _ value: @escaping @Sendable (WatchedPin) -> UInt64
    ) -> Listing<WatchedPin>.Column {
        Listing.Column(
            title,
            .fixed(width, priority: priority),
            alignment: .trailing,
            rank: { .number(Double(value($0))) },
            cell: { Span(HumanUnits.count(value($0)), $1.style(.text)) }
        )
    }

    private var pins: [WatchedPin] {
        Self.listing.arranged(scene.report?.pins ?? [], view: scene.view)
    }

    var rowNames: [String] { pins.map { WatchLabels.process($0.name, pid: $0.pid) } }

    func destination(forRow row: String) -> WatchOpening { .process(label: row) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if let part = scene.expandedPart {
            draw(part, on: &canvas, in: rect)
            return
        }
        let pins = max(scene.report?.pins.count ?? 0, 1)
        let tracks = [
            Track(minimum: 7, ideal: 14, priority: 9, flex: 3),
            Track(minimum: 4, ideal: min(pins, 8) + 3, maximum: pins + 3, priority: 8),
            Track(minimum: 4, ideal: 6, maximum: 7, priority: 7, flex: 0),
        ]
        let areas = rect.rows(Track.lengths(of: tracks, available: rect.height))
        for (part, area) in areas.enumerated() where !area.isEmpty {
            draw(part, on: &canvas, in: area)
        }
    }

    private func draw(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        guard let history = scene.history else { return }
        canvas.clipped(to: rect) { canvas in
            switch part {
            case 0:
                WatchLogPanel(history: history, seconds: scene.seconds).draw(on: &canvas, in: rect)
            case 1: drawPins(on: &canvas, in: rect)
            default: drawFile(on: &canvas, in: rect)
            }
            scene.markPart(part, on: &canvas, in: rect)
        }
    }

    private func drawPins(on canvas: inout Canvas, in rect: Rect) {
        Self.listing.draw(
            scene.report?.pins ?? [],
            view: scene.view,
            in: Panel(title: "Pins", subtitle: "frames that no checkpoint can copy"),
            item: "pin",
            placeholder: "no reader pins frames in the log",
            on: &canvas,
            in: rect
        )
    }

    private func drawFile(on canvas: inout Canvas, in rect: Rect) {
        guard let report = scene.report else { return }
        let inner = Panel(title: "Database file").draw(on: &canvas, in: rect)
        let style = canvas.theme.style(.text)
        let path = Escaping.terminal(report.file.path)
        canvas.write(path, in: inner.row(0), style: canvas.theme.bold(.text), alignment: .leading)
        let lines = TextWrapping.lines(
            of: facts(report).joined(separator: ", "),
            width: inner.width
        )
        let notes = report.notes.flatMap { TextWrapping.lines(of: $0, width: inner.width) }
        for (index, line) in lines.enumerated() where index + 1 < inner.height {
            canvas.write(line, in: inner.row(index + 1), style: style, alignment: .leading)
        }
        for (index, line) in notes.enumerated() where index + 1 + lines.count < inner.height {
            canvas.write(
                line,
                in: inner.row(index + 1 + lines.count),
                style: canvas.theme.style(.dim),
                alignment: .leading
            )
        }
    }

    private func facts(_ report: WatchReport) -> [String] {
        let file = report.file
        guard file.state == .present else { return [file.problem ?? WatchLabels.mode(file)] }
        var facts = [WatchLabels.mode(file)]
        if let bytes = file.bytes { facts.append(HumanUnits.bytes(bytes)) }
        if let pages = file.pages {
            let noun = pages == 1 ? "page" : "pages"
            facts.append("\(HumanUnits.count(pages)) \(noun)\(file.pageSizeText)")
        }
        if let free = file.freePages { facts.append("\(HumanUnits.count(free)) free") }
        if let vacuum = file.autoVacuum { facts.append("auto-vacuum \(vacuum.rawValue)") }
        if let encoding = file.encoding { facts.append(encoding.rawValue) }
        if let version = file.userVersion, version != 0 { facts.append("user_version \(version)") }
        if let application = file.applicationID, application != 0 {
            facts.append("application_id \(application)")
        }
        if let system = file.fileSystem { facts.append("on \(system.type)") }
        return facts
    }
}
