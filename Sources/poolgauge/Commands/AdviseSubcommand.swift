import ArgumentParser
import Capture
import GRDBTarget
import WorkloadEngine

struct AdviseSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Try changes to an arm, and recommend the changes that measurably help.",
        discussion: """
            The candidates are other numbers of readers, a pool, a write-ahead log, caches, busy \
            timeouts, other kinds of BEGIN, checkpoint settings, ANALYZE, and indexes for \
            statements that scan a table or sort rows. Short runs screen all candidates. New pairs \
            of runs then confirm the best three, with the same rules as 'compare'. Candidates that \
            weaken durability are listed separately.
            """
    )

    @Argument(
        help: "The name of a preset, or the path to a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(help: "The arm to change; by default, 'present' if it exists, or the first arm.")
    var arm: String?

    @Option(
        help: "Stop after this time and report the results so far; 5m by default.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @OptionGroup var data: DatabaseOptions

    @Option(help: "The format of the report.")
    var format = AdviceFormat.text

    @Option(
        help: "The file for the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    func run() throws {
        try data.check(for: self.scenario)
        let scenario = try changes.load(self.scenario)
        if let arm { _ = try scenario.arms(named: [arm]) }
        let destination = try ReportDestination(path: output)
        let reporter = ProgressReporter(progress)
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        var options = AdviceOptions()
        options.arm = arm
        if let within { options.within = within.duration }
        options.run.folder = folder.url
        options.run.database = try data.copy(for: self.scenario, in: folder.url) {
            reporter.showStep($0)
        }
        options.run.processCommand = ClientProcess.command
        options.versions = HeadlessRun.versions
        options.onProgress = { reporter.showStep($0) }
        options.indexes = { target in
            let advisor = IndexAdvisor(
                schema: CaptureSchema(try CaptureDatabase.tables(of: target))
            )
            return { advisor.indexes(for: $0, plan: $1) }
        }
        let advice = try AdviceRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let interruption = Interruption(cleanUp: folder.remove) { advice.stop() }
        let result = try blocking { try await advice.run() }
        reporter.finish()
        switch format {
        case .text: try destination.write(AdviceReport.text(of: result))
        case .json: try destination.write(JSONReport.text(of: result))
        }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
        throw ExitCode(result.exitStatus.rawValue)
    }
}

enum AdviceFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
