import ArgumentParser
import Recording
import SQLiteWatch
import Text

struct ReportSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Summarize a recording, including its worst seconds.",
        discussion: """
            For the recording or a part of it, reports the rate, saturation, SQLITE_BUSY results, \
            and log growth of each source; the worst second for each of these measurements; the \
            longest waits with their holders; gaps; and a table with a row for each of several \
            equal intervals.

            --from and --to accept \(RecordingMoment.forms).

            For a folder of recordings, as 'poolgauge record --on' writes them, lists the event and \
            the findings of each.
            """
    )

    @Argument(help: "The recording, or a folder of recordings.", completion: .file())
    var file: String

    @Option(
        help: "The start of the period; by default, the start of the recording.",
        transform: RecordingMoment.parse
    )
    var from: RecordingMoment?

    @Option(
        help: "The end of the period; by default, the end of the recording.",
        transform: RecordingMoment.parse
    )
    var to: RecordingMoment?

    @Option(help: "The format of the report.")
    var format = RecordingReportFormat.text

    @Option(
        name: .shortAndLong,
        help: "The file for the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    func validate() throws {
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: [.init("the recording", file)]
        )
    }

    func run() throws {
        if FilePath.isFolder(file) { return try reportFolder() }
        let destination = try ReportDestination(path: output)
        let reader = try RecordingReader(path: file)
        let contents = reader.contents
        let (start, end) = (contents.start ?? 0, contents.end ?? 0)
        let report = try RecordingReport(
            reader,
            from: from?.milliseconds(from: start, to: end),
            to: to?.milliseconds(from: start, to: end)
        )
        try destination.write(format.text(of: report))
    }

    private func reportFolder() throws {
        guard format == .text, from == nil, to == nil else {
            throw CommandFailure("--format, --from, and --to require one recording, not a folder")
        }
        guard let files = EpisodeFolder.recordings(in: file) else {
            throw CommandFailure("the folder '\(Escaping.terminal(file))' cannot be listed")
        }
        guard !files.isEmpty else {
            throw CommandFailure("there are no recordings in '\(Escaping.terminal(file))'")
        }
        let destination = try ReportDestination(path: output)
        let texts = files.map { path in
            do {
                return RecordingTables(try RecordingReport(RecordingReader(path: path))).summary
            } catch { return Escaping.terminal("\(error)") + "\n" }
        }
        try destination.write(texts.joined(separator: "\n"))
    }
}

/// The formats of the report on a recording.
enum RecordingReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case csv
    case markdown
    case html

    func text(of report: RecordingReport) throws -> String {
        let tables = RecordingTables(report)
        return switch self {
        case .text: tables.text
        case .json: try RecordingTables.json(report)
        case .csv: tables.csv
        case .markdown: tables.markdown
        case .html: try tables.html(report)
        }
    }
}

extension RecordingMoment {
    static func parse(_ text: String) throws -> RecordingMoment {
        guard let moment = RecordingMoment(text) else {
            throw ValidationError("'\(text)' is not a time; write \(forms)")
        }
        return moment
    }
}
