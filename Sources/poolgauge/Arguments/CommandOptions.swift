import ArgumentParser
import Comparison
import Foundation
import GRDBTarget
import PoolgaugeAgent
import Recording
import Reports
import SQLTrace
import Scenarios
import WorkloadEngine

/// The scenario that a command runs.
struct ScenarioArgument: ParsableArguments {
    @Argument(
        help: "The name of a preset, or the path to a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String
}

/// The options that change a scenario.
struct ScenarioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The length of the measured part of the run, such as 5s; times specified as "
                + "percentages are relative to it."
        ),
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @Option(help: "The number of readers in each pool.", transform: NumberArgument.readers)
    var readers: Int?

    func load(_ nameOrPath: String) throws -> Scenario {
        try apply(to: Scenario.load(nameOrPath: nameOrPath))
    }

    /// Applies the options, and then `addition`, if any, as another `--set`.
    func apply(to scenario: Scenario, adding addition: Scenario.Setting? = nil) throws -> Scenario {
        var scenario = try changes.apply(to: scenario, adding: addition)
        if let readers { scenario = try scenario.with(readers: readers) }
        if let duration { scenario = try scenario.scaled(toMeasured: duration.duration) }
        return scenario
    }
}

extension Scenario {
    /// Returns the arms with the given names, in the scenario's order.
    ///
    /// Without names, returns ``WorkloadEngine/Scenario/defaultArms``.
    ///
    /// - Throws: ``RunError`` if an arm does not exist, or ``CommandFailure`` if this build does
    ///   not include the arm's library.
    func arms(named names: [String]) throws -> [Arm] {
        for name in names { _ = try arm(named: name) }
        let selectedArms = names.isEmpty ? defaultArms : arms.filter { names.contains($0.name) }
        for arm in selectedArms where !LibraryTargetFactory.has(arm.library) {
            throw CommandFailure(
                "arm '\(arm.name)' uses library: \(arm.library.rawValue); "
                    + LibraryTargetFactory.way(to: arm.library)
            )
        }
        return selectedArms
    }
}

/// The options of commands that can record their data.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: "Also record all samples to this file, for 'poolgauge replay' and 'report'.",
        completion: .file()
    )
    var record: String?

    @OptionGroup var limits: RecordingLimitOptions

    func validate() throws {
        if record == nil, limits.isGiven {
            throw ValidationError("--retain and --max-size require --record")
        }
    }
}

/// The limits of a recording.
struct RecordingLimitOptions: ParsableArguments {
    @Option(
        help: "Delete recorded samples that are older than this time, such as 48h.",
        transform: TimeArgument.parse
    )
    var retain: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Delete the oldest samples so that the recording stays below this size, such as 500MB."
        ),
        transform: ByteCountArgument.parse
    )
    var maxSize: ByteCountArgument?

    var isGiven: Bool { retain != nil || maxSize != nil }

    var limits: RecordingLimits {
        var limits = RecordingLimits()
        limits.retainNanoseconds = retain.map { $0.duration.wholeNanoseconds }
        limits.maximumBytes = maxSize?.bytes
        return limits
    }

    func validate() throws {
        if let maxSize, maxSize.bytes < RecordingLimits.smallestMaximum {
            throw ValidationError("--max-size must be at least 1MiB")
        }
    }
}

/// The option that determines whether a recording contains the SQL's literals.
struct RecordedSQLOptions: ParsableArguments {
    @Flag(help: "Keep SQL literals in the recording; by default, they are masked.")
    var literals = false
}

/// A size, such as `500MB`.
struct ByteCountArgument {
    var bytes: UInt64

    static func parse(_ text: String) throws -> ByteCountArgument {
        do { return ByteCountArgument(bytes: UInt64(try Quantity.bytes(text))) } catch {
            throw ValidationError(String(describing: error))
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, or 0 if the duration is negative.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}

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

    func report(on result: Comparison.ComparisonResult) throws -> String {
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

/// The options of commands that export metrics while they run.
struct ListenOptions: ParsableArguments {
    /// The address that `poolgauge export` uses by default.
    static let standard = "127.0.0.1:9719"

    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus at this address, such as \(ListenOptions.standard). "
                + "Port 0 selects a free port; the URL is written to standard error.",
            valueName: "address"
        ),
        transform: ListenOptions.parse
    )
    var listen: ListenAddress?

    @Flag(help: "Allow --listen to use an address that other machines can reach.")
    var listenPublic = false

    func validate() throws {
        if listenPublic, listen == nil {
            throw ValidationError("--listen-public requires --listen")
        }
        guard let listen, !listen.isLoopback, !listenPublic else { return }
        throw ValidationError(
            "other machines can reach \(listen); specify 127.0.0.1:\(listen.port), or add "
                + "--listen-public if they may read the metrics"
        )
    }

    private static func parse(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            if let end = text.split(separator: ":").last, text.contains(":"), let port = Int(end),
                !(0...65535).contains(port)
            {
                throw ValidationError("the port must be from 0 to 65535, not \(port)")
            }
            throw ValidationError(
                "'\(text)' is not an address with a port; specify an address such as \(standard) "
                    + "or [::1]:9719"
            )
        }
        return address
    }

    /// Starts a server if requested, and writes its URL to standard error.
    ///
    /// - Parameters:
    ///   - standard: The address to use if none was specified, or `nil` to start no server in this
    ///     case.
    ///   - text: A closure that returns the metrics. The server's thread calls it.
    /// - Returns: The server, which runs until it is deallocated.
    /// - Throws: `AgentError` if the address cannot be used.
    func server(
        at standard: ListenAddress? = nil,
        serving text: @escaping @Sendable () -> String
    ) throws -> MetricsServer? {
        guard let address = listen ?? standard else { return nil }
        let server = try MetricsServer(on: address, text: text)
        StandardError.write("metrics: \(server.url)\n")
        return server
    }
}

/// The options that compared two programs before drivers existed.
struct ProgramOptions: ParsableArguments {
    @Option(help: .hidden)
    var against: String?

    @Option(name: .customLong("against-name"), help: .hidden)
    var againstName: String?

    @Option(help: .hidden)
    var binary: String?

    @Option(help: .hidden)
    var arm: String?

    func validate() throws {
        if arm != nil, against == nil {
            throw ValidationError("to choose the arms to compare, use --arms")
        }
        guard against != nil || againstName != nil || binary != nil else { return }
        let old = against ?? "old/poolgauge"
        throw ValidationError(
            "--against, --against-name, and --binary no longer exist; to compare programs, write an "
                + "arm for each, such as 'old: {driver: {command: [\(old), driver]}}' and 'new: "
                + "{driver: {command: [\(binary ?? "poolgauge"), driver]}}', and use --arms old,new"
        )
    }
}
