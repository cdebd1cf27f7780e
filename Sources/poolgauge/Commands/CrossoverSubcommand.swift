import ArgumentParser
import CursesTerminal
import Foundation
import GRDBTarget
import WorkloadEngine

/// `poolgauge crossover`.
struct CrossoverSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crossover",
        abstract: "Show where one arm beats another, as a map.",
        discussion: """
            Up to three things vary: readers, write-share, hold, rate, workers. In every cell both \
            arms run in pairs, in random order, on the same data; the map shows how many times \
            better the second arm is, with its interval, and which cells are within the noise. The \
            first sweep goes from left to right, the second from top to bottom, the third from map \
            to map.

            Values are written as a list (readers=1,2,4,8), or as a range (write-share=0..0.5, \
            hold=5ms..80ms/4 for four of them).
            """
    )

    @Argument(
        help: "A preset's name, or the path of a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(
        name: .customLong("sweep"),
        help: ArgumentHelp(
            "What varies: readers, write-share, hold, rate or workers, with its values; one to "
                + "three times.",
            valueName: "name=values"
        ),
        transform: SweepArgument.parse
    )
    var sweeps: [SweepArgument] = []

    @Option(
        help: "The two arms, with a comma between them: is the second better than the first?",
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @Option(
        help: ArgumentHelp(
            "What is compared, such as ui.response.p99; by default the scenario's first primary "
                + "metric, as far as short runs give it.",
            valueName: "metric"
        )
    )
    var metric: String?

    @Option(help: "How many pairs of runs each cell gets; with fewer than 6 nothing is decided.")
    var blocks = 6

    @Option(
        help: "How long each run measures; by default what --within allows, up to 2s.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: "How long it all may take; 10m by default.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @OptionGroup var data: DatabaseOptions

    @Option(help: "How the report is written; a FILE.svg, .json or .md says it too.")
    var format: CrossoverFormat?

    @Option(
        help: "The file that receives the report, such as map.svg; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...100).contains(blocks) else {
            throw ValidationError("--blocks must be 1 to 100, not \(blocks)")
        }
        if let arms, arms.names.count != 2 {
            throw ValidationError(
                "--arms takes two arms, such as queue,pool, not \(arms.names.count)"
            )
        }
    }

    func run() throws {
        try TemporaryFolder.check()
        try data.check(for: self.scenario)
        let scenario = try changes.load(self.scenario)
        let (a, b) = try twoArms(of: scenario)
        var options = CrossoverOptions(a: a, b: b, sweeps: sweeps.map(\.sweep))
        options.command = changes.command(for: self.scenario, database: data.database)
        options.metric = try metric.map { try CrossoverMetric($0, of: scenario) }
        options.blocks = blocks
        options.duration = duration?.duration
        if let within { options.within = within.duration }
        let format = self.format ?? CrossoverFormat(ofFile: output) ?? .text
        let reporter = ProgressReporter(progress)
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        options.run.folder = folder.url
        options.run.database = try data.copy(for: self.scenario, in: folder.url) {
            reporter.say($0)
        }
        options.versions = HeadlessRun.versions
        options.run.processCommand = ClientProcess.command
        options.onProgress = { reporter.say($0) }
        let map = try CrossoverRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let destination = try ReportDestination(path: output)
        let interruption = Interruption(cleanUp: folder.remove) { map.stop() }
        reporter.say("building the data")
        try blocking { try await map.rehearse() }
        if progress != .never, interruption.signal == nil {
            reporter.announce(announcement(map.plan, options))
        }
        let result = try blocking { try await map.run() }
        reporter.finish()
        try write(result, as: format, to: destination)
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
        throw ExitCode(result.exitStatus.rawValue)
    }

    /// The arms that are named; else the first queue and the first pool.
    private func twoArms(of scenario: Scenario) throws -> (String, String) {
        if let names = arms?.names {
            _ = try scenario.arms(named: names)
            guard names[0] != names[1] else {
                throw CommandFailure("--arms: '\(names[0])' cannot be compared with itself")
            }
            return (names[0], names[1])
        }
        let arms = try scenario.arms(named: []).filter { $0.library != .raw }
        guard let queue = arms.first(where: { $0.kind == .queue }),
            let pool = arms.first(where: { $0.kind == .pool })
        else {
            throw CommandFailure(
                "\(scenario.name) has not both a queue and a pool; name two --arms of: "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        return (queue.name, pool.name)
    }

    private func announcement(_ plan: CrossoverPlan, _ options: CrossoverOptions) -> String {
        var text =
            "\(plan.cellCount) cells, \(plan.runs) runs of \(plan.duration.inMilliseconds) ms: about "
            + "\(plan.time.inWords), and \(options.within.inWords) at most (--within)"
        if let note = plan.metricNote { text += "; \(note)" }
        return text
    }

    private func write(
        _ result: CrossoverResult,
        as format: CrossoverFormat,
        to destination: ReportDestination
    ) throws {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let noColour = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        let style = CrossoverReport.Style(
            hasColour: isTerminal && noColour.isEmpty,
            isUTF8: !isTerminal || TextEncoding.isUTF8()
        )
        switch format {
        case .text:
            let style = output == nil ? style : CrossoverReport.Style()
            try destination.write(CrossoverReport.text(of: result, style: style))
        case .json: try destination.write(JSONReport.text(of: result))
        case .markdown: try destination.write(CrossoverReport.markdown(of: result))
        case .svg: try destination.write(CrossoverPicture.svg(of: result))
        }
        // A picture in a file is looked at later; what it says is said now.
        if output != nil, format == .svg {
            try StandardOutput.write(CrossoverReport.text(of: result, style: style))
        }
    }
}

/// How a map is written.
enum CrossoverFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case markdown
    case svg

    /// The format that a file's name says.
    init?(ofFile path: String?) {
        guard let path else { return nil }
        switch path.split(separator: ".").last?.lowercased() {
        case "svg": self = .svg
        case "json": self = .json
        case "md", "markdown": self = .markdown
        case "txt": self = .text
        default: return nil
        }
    }
}

extension Duration {
    /// The length in whole milliseconds.
    fileprivate var inMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
