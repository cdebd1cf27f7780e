import ArgumentParser
import Capture
import Foundation
import Scenarios
import Text

struct TrySubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run statements on a copy of your database, without a scenario file.",
        discussion: """
            Each --read and each --write is one access in one transaction; separate its statements \
            with semicolons. A parameter such as :id takes its values from the column that it is \
            compared with or assigned to: for an integer key, from the range of keys, and for other \
            columns, from existing rows. New rows get new keys.

            Without --rate, each client starts its next access when the previous one ends.

            In BETWEEN :start AND :end, :end is never less than :start. For integer columns, :end \
            is :start plus a small random width. For other columns, the two values are swapped if \
            necessary.
            """
    )

    @Option(help: "Your database; the runs use a copy of it.", completion: .file())
    var database: String

    @Option(
        help: ArgumentHelp(
            "An access that reads; can be repeated.",
            valueName: "sql"
        )
    )
    var read: [String] = []

    @Option(
        help: ArgumentHelp(
            "An access that writes; can be repeated.",
            valueName: "sql"
        )
    )
    var write: [String] = []

    @Option(
        help: "The total number of clients. Reads and writes each have at least one.",
        transform: NumberArgument.positive
    )
    var clients = 4

    @Option(
        help: "The total number of accesses per second, such as 200/s.",
        transform: RateArgument.parse
    )
    var rate: RateArgument?

    @Option(
        help: ArgumentHelp(
            "The share of the clients and of the rate to use for writes, such as 20%; by default, "
                + "the share of --write among the --read and --write options.",
            valueName: "share"
        ),
        transform: WriteShareArgument.parse
    )
    var writeShare: WriteShareArgument?

    @Option(
        help: ArgumentHelp(
            "The values of a parameter that does not correspond to a column, such as "
                + "'word=distribution: choice, values: [red, blue]'; can be repeated.",
            valueName: "name=distribution"
        )
    )
    var values: [String] = []

    @Option(
        name: .arms,
        help: ArgumentHelp(
            "The arms, separated by commas: \(DraftArm.names); by default, queue, queue-wal, "
                + "and pool."
        ),
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @Option(help: "How long to measure each arm.", transform: TimeArgument.parse)
    var duration: TimeArgument?

    @Flag(
        help: ArgumentHelp(
            "After the run, write its scenario to standard output, as a template for your own. The "
                + "report goes to --output, or to standard error."
        )
    )
    var print = false

    @OptionGroup var report: ReportOptions<ReportFormat>

    private static let maximumClients = 1000

    func validate() throws {
        guard !read.isEmpty || !write.isEmpty else {
            throw ValidationError(
                "there is nothing to run; specify --read 'SELECT …' or --write 'UPDATE …'"
            )
        }
        guard (1...Self.maximumClients).contains(clients) else {
            throw ValidationError(
                "--clients must be from 1 to \(Self.maximumClients), not \(clients)"
            )
        }
        guard !print || report.format == .text || report.output != nil else {
            throw ValidationError(
                "--print writes the scenario to standard output; specify a file for the "
                    + "\(report.format.rawValue) report with --output"
            )
        }
        guard writeShare == nil || !read.isEmpty && !write.isEmpty else {
            throw ValidationError(
                "--write-share requires --\(write.isEmpty ? "write" : "read"), because it divides "
                    + "the load between reads and writes"
            )
        }
        try DistinctFiles.check(
            outputs: [.init("--output", report.output)],
            inputs: [.init("--database", database)]
        )
    }

    func run() throws {
        let source = try DatabaseFile.url(database)
        let yaml = try draft(of: source).yaml
        let scenario = try Scenario.parse(yaml: yaml, file: "try")
        let destination =
            print && report.output == nil ? .standardError : try report.destination()
        var run = HeadlessRun(scenario: scenario, arms: scenario.arms)
        run.progress = report.progress
        do {
            try run.run(format: report.format, to: destination)
        } catch let status as ExitCode {
            if print {
                try StandardOutput.write(yaml)
            } else if report.format == .text, report.output == nil, status.rawValue < 64 {
                try StandardOutput.write(Self.nextSteps(for: scenario))
            }
            throw status
        }
    }

    private static func nextSteps(for scenario: Scenario) -> String {
        let arms = scenario.arms.map(\.name)
        var lines = ["", "To continue, repeat the command with --print > mine.yaml:"]
        if arms.count > 1 {
            lines.append(
                "  poolgauge compare mine.yaml --arms \(arms.joined(separator: ","))"
                    + "   tests whether the arms differ by more than noise"
            )
        }
        lines.append(
            "  poolgauge advise mine.yaml --arm \(arms[arms.count - 1])"
                + "   tests indexes, readers, and settings"
        )
        return lines.map { $0 + "\n" }.joined()
    }

    private func draft(of source: URL) throws -> ScenarioDraft {
        let name = source.deletingPathExtension().lastPathComponent
        var options = DraftOptions(
            name: "try-\(name)",
            description: "Statements on \(source.lastPathComponent).",
            database: DatabaseReference.path(of: database, from: nil)
        )
        options.introduction = [
            "Written by 'poolgauge try'. Parameters draw their values from the columns of the "
                + "database."
        ]
        options.workers = clients
        options.rate = rate?.perSecond
        options.writeShare = writeShare?.share
        if let duration { options.seconds = duration.duration / .seconds(1) }
        options.values = try distributions()
        if let arms { options.arms = try Self.arms(arms.names) }
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let reporter = ProgressReporter(report.progress)
        defer { reporter.finish() }
        let copy = try DatabaseFile.copy(source, named: database, in: folder.url) {
            reporter.showStep($0)
        }
        let facts = try DraftDatabase(
            copy: copy.path,
            of: database,
            triesStatements: false,
            checking: read + write
        )
        var draft = ScenarioDraft(options, schema: facts.schema, words: facts.words)
        for sql in read {
            do { try draft.addRead(sql) } catch { throw CommandFailure("--read: \(error)") }
        }
        for sql in write {
            do { try draft.addWrite(sql) } catch { throw CommandFailure("--write: \(error)") }
        }
        let unused = options.values.keys.filter { !draft.parameterNames.contains($0) }
        if let name = unused.min() {
            throw CommandFailure(
                "--values: no statement has a parameter ':\(name)'"
                    + NearestName.hint(name, among: draft.parameterNames.sorted())
            )
        }
        return draft
    }

    private static func arms(_ names: [String]) throws -> [DraftArm] {
        try names.map { name in
            guard let arm = DraftArm(name) else {
                throw CommandFailure(
                    "--arms: there is no arm '\(name)'; expected one of: \(DraftArm.names)"
                )
            }
            return arm
        }
    }

    private func distributions() throws -> [String: Variable] {
        var distributions: [String: Variable] = [:]
        for text in values {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw CommandFailure(
                    "--values: '\(text)' does not have the form name=distribution; specify, for "
                        + "example, 'word=distribution: choice, values: [red, blue]'"
                )
            }
            let name = text[..<sign].drop { ":@$".contains($0) }
            let distribution = String(text[text.index(after: sign)...])
            guard distribution.contains("distribution:") else {
                throw CommandFailure(
                    "--values '\(text)' has no distribution; write, for example, "
                        + "'\(name)=distribution: uniform, min: 1, max: 100'"
                )
            }
            do {
                distributions[String(name)] = try Variable.parse(distribution, named: String(name))
            } catch {
                throw CommandFailure("--values '\(text)': \(error)")
            }
        }
        return distributions
    }
}

/// A share, such as `20%`.
struct WriteShareArgument {
    var share: Double

    /// Parses a share greater than 0% and less than 100%.
    static func parse(_ text: String) throws -> WriteShareArgument {
        let share: Double
        do { share = try Quantity.share(text) } catch {
            throw ValidationError(String(describing: error))
        }
        guard share > 0, share < 1 else {
            throw ValidationError("'\(text)' must be greater than 0% and less than 100%")
        }
        return WriteShareArgument(share: share)
    }
}
