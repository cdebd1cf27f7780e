import ArgumentParser
import Findings
import Foundation
import Reports
import Text

struct CheckSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Run a test suite, and find what its SQL will block or slow down in production.",
        discussion: """
            Starts the command after -- without privileges (on Linux), and checks the statements that \
            it and its child processes execute, in any language: transactions that read before they \
            write, waits within a process, transactions that stay open, missing busy timeouts and \
            foreign keys, scans, sorts, automatic indexes, repeated queries (N+1), statements that are \
            prepared each time or fail, writes outside transactions, and logs that remain.

            The output of the command is unchanged, and the report follows on standard error, or in \
            --output. The exit status is that of the command if it is not 0; otherwise, it is 3 if \
            there is a finding at the level warning or error. The file \(CheckConfiguration.fileName) \
            sets the level, limits, and exceptions of each rule; docs/Check.md describes them.
            """
    )

    /// The command after `--`, as in ``SQLArguments/expanded(_:)``.
    @Option(
        name: .customLong(SQLArguments.commandWord),
        parsing: .singleValue,
        help: .hidden,
        transform: { String($0.dropFirst()) }
    )
    var command: [String] = []

    @Option(
        help: """
            The file with the rules; by default, \(CheckConfiguration.fileName) in the current folder, \
            if it exists.
            """,
        completion: .file()
    )
    var config: String?

    @Flag(help: "Write the report as JSON.")
    var json = false

    @Option(
        name: .shortAndLong,
        help: "The file for the report; standard error by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "Also write the report as JUnit XML to this file.", completion: .file())
    var junit: String?

    @Flag(help: "Also write the findings as annotations of GitHub Actions to standard error.")
    var github = false

    @Option(
        help: """
            A file with known findings, which let no check fail. If the file does not exist, this \
            check writes its findings to it.
            """,
        completion: .file()
    )
    var baseline: String?

    @Flag(help: "Replace the findings in the --baseline.")
    var updateBaseline = false

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("specify the command after --, as in 'poolgauge check -- pytest'")
        }
        if updateBaseline, baseline == nil {
            throw ValidationError("--update-baseline requires --baseline")
        }
        try DistinctFiles.check(
            outputs: [
                .init("--output", output), .init("--junit", junit), .init("--baseline", baseline),
            ],
            inputs: [.init("--config", config)]
        )
    }

    func run() throws {
        let settings = try CheckConfiguration.load(config)
        let known = updateBaseline ? nil : try baseline.flatMap { try Self.known(in: $0) }
        let destination = try output.map { try ReportDestination(path: $0, option: "--output") }
        let junitDestination = try junit.map {
            try ReportDestination(path: $0, option: "--junit")
        }
        let baselineDestination = try baseline.map {
            try ReportDestination(path: $0, option: "--baseline")
        }
        var report = try CheckRun(command: command, settings: settings).run()
        if let baseline {
            let recorded = known ?? CheckBaseline(report.findings)
            let missing = recorded.mark(&report.findings)
            let isWritten = known == nil && report.commandStatus == 0
            report.baseline = .init(file: baseline, isWritten: isWritten, missing: missing)
            if isWritten {
                try baselineDestination?.write(JSONReport.text(of: recorded))
            } else if known == nil {
                report.notes.append("the baseline is not written, because the command failed")
                report.baseline = nil
                for index in report.findings.indices { report.findings[index].isNew = nil }
            }
            report.decide()
        }
        let text =
            json
            ? Escaping.encodedJSON(try JSONReport.text(of: report), keepingNewlines: true)
            : report.text
        if let destination { try destination.write(text) } else { StandardError.write(text) }
        try junitDestination?.write(report.junit)
        if github { StandardError.write(report.annotations) }
        throw ExitCode(report.status)
    }

    /// Returns the findings in a baseline, or `nil` if it does not exist.
    private static func known(in path: String) throws -> CheckBaseline? {
        guard let text = try TextFile.read(path) else { return nil }
        guard let known = try? JSONDecoder().decode(CheckBaseline.self, from: Data(text.utf8)),
            known.schema == CheckBaseline.schema
        else {
            throw CommandFailure(
                "--baseline: '\(Escaping.terminal(path))' is not a file that this option wrote"
            )
        }
        return known
    }
}
