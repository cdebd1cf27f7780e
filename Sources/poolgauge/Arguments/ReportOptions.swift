import ArgumentParser
import WorkloadEngine

/// The options for a report: its format, its file, and when to show progress.
struct ReportOptions<Format: ReportFormatArgument>: ParsableArguments {
    @Option(help: "The format of the report.")
    var format = Format.text

    @Option(
        name: .shortAndLong,
        help: "The file for the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    /// Returns the destination of the report, after checking that it is writable.
    func destination() throws -> ReportDestination { try ReportDestination(path: output) }
}

/// The formats of a report.
///
/// The default is text.
protocol ReportFormatArgument: ExpressibleByArgument, CaseIterable, Sendable {
    static var text: Self { get }
}

/// The formats of reports on runs and comparisons.
enum ReportFormat: String, ReportFormatArgument {
    case text
    case json
    case csv
    case markdown
    case html
    case junit

    func report(on result: RunResult) throws -> String {
        switch self {
        case .text: TextReport.text(of: result)
        case .json: try JSONReport.text(of: result)
        case .csv: CSVReport.text(of: result)
        case .markdown: MarkdownReport.text(of: result)
        case .html: try HTMLReport.text(of: result)
        case .junit: JUnitReport.text(of: result)
        }
    }

    func report(on result: ComparisonResult) throws -> String {
        switch self {
        case .text: ComparisonReport.text(of: result)
        case .json: try JSONReport.text(of: result)
        case .csv: ComparisonCSV.text(of: result)
        case .markdown: ComparisonReport.markdown(of: result)
        case .html: try ComparisonHTML.text(of: result)
        case .junit: JUnitReport.text(of: result)
        }
    }
}

/// The formats of capacity reports.
enum SearchFormat: String, ReportFormatArgument {
    case text
    case json
    case markdown
}

/// The formats of reports for people or programs.
enum PlainFormat: String, ReportFormatArgument {
    case text
    case json
}
