import ArgumentParser
import Recording

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
            """
    )

    @Argument(help: "The recording.", completion: .file())
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
