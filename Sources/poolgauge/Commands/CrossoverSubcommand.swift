import ArgumentParser
import CursesTerminal
import Foundation
import GRDBTarget
import WorkloadEngine

struct CrossoverSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crossover",
        abstract: "Draw a map that shows where one arm outperforms another.",
        discussion: """
            Varies one to three of these variables: readers, write-share, hold, rate, workers. In \
            each cell, runs both arms in pairs, in random order, on the same data. The map shows \
            the factor by which the second arm is better than the first, with its confidence \
            interval, and marks cells within the noise. The first sweep varies from left to right, \
            the second from top to bottom, and the third from map to map.

            Write values as a list (readers=1,2,4,8) or as a range (write-share=0..0.5, or \
            hold=5ms..80ms/4 for four values).
            """
    )

    @OptionGroup var source: ScenarioArgument

    @Option(
        name: .customLong("sweep"),
        help: ArgumentHelp(
            "A variable (readers, write-share, hold, rate, or workers) and its values; specify "
                + "one to three sweeps.",
            valueName: "name=values"
        ),
        transform: SweepArgument.parse
    )
    var sweeps: [SweepArgument] = []

    @Option(
        name: .arms,
        help: "The two arms, separated by a comma; the second is compared with the first.",
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @Option(
        help: ArgumentHelp(
            "The metric to compare, such as ui.response.p99; by default, the scenario's first "
                + "primary metric that short runs can measure.",
            valueName: "metric"
        )
    )
    var metric: String?

    @Option(help: "The number of pairs of runs in each cell; fewer than 6 are inconclusive.")
    var blocks = 6

    @Option(
        help: "The length of each run; by default, as long as --within allows, up to 2s.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: "The time limit for the whole map; 10m by default.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @OptionGroup var data: DatabaseOptions

    @Option(help: "The format of the report; by default, determined by the extension of --output.")
    var format: CrossoverFormat?

    @Option(
        help: "The file for the report, such as map.svg; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...100).contains(blocks) else {
            throw ValidationError("--blocks must be from 1 to 100, not \(blocks)")
        }
        if let arms, arms.names.count != 2 {
            throw ValidationError(
                "--arms requires exactly two arms, such as queue,pool; you specified "
                    + "\(arms.names.count)"
            )
        }
        if let output, format == nil, CrossoverFormat(ofFile: output) == nil {
            throw ValidationError(
                "--output: the file name '\(output)' must end in .txt, .md, .json, or .svg; "
                    + "for other names, specify the format with --format"
            )
        }
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: [.scenario(source.scenario), .init("--database", data.database)]
        )
    }

    func run() throws {
        try TemporaryFolder.check()
        try data.check(for: source.scenario)
        let scenario = try changes.load(source.scenario)
        let (a, b) = try twoArms(of: scenario)
        var options = CrossoverOptions(a: a, b: b, sweeps: sweeps.map(\.sweep))
        options.command = changes.command(for: source.scenario, database: data.database)
        options.metric = try metric.map { try CrossoverMetric($0, of: scenario) }
        options.blocks = blocks
        options.duration = duration?.duration
        if let within { options.timeLimit = within.duration }
        let format = self.format ?? output.flatMap(CrossoverFormat.init(ofFile:)) ?? .text
        let series = try RunSeries(progress: progress)
        defer { series.folder.remove() }
        try series.prepare(&options, data: data, for: source.scenario)
        let map = try CrossoverRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let destination = try ReportDestination(path: output)
        let interruption = Interruption(cleanUp: series.folder.remove) { map.stop() }
        series.reporter.showStep("building the data")
        try blocking { try await map.rehearse() }
        if progress != .never, interruption.signal == nil {
            series.reporter.announce(announcement(map.plan, options))
        }
        let result = try blocking { try await map.run() }
        series.reporter.finish()
        try write(result, as: format, to: destination)
        throw interruption.exitCode(or: result.exitStatus)
    }

    /// Returns the arms specified with `--arms` or, by default, the first queue and the first pool.
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
                "\(scenario.name) does not have both a queue and a pool; specify two of these arms "
                    + "with --arms: "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        return (queue.name, pool.name)
    }

    private func announcement(_ plan: CrossoverPlan, _ options: CrossoverOptions) -> String {
        var text =
            "\(plan.cellCount) \(plan.cellCount == 1 ? "cell" : "cells"), \(plan.runs) runs of "
            + "\(plan.duration.lengthText): this takes about \(plan.time.abbreviatedText), "
            + "at most \(options.timeLimit.abbreviatedText) (--within)"
        if let note = plan.metricNote { text += ". Compares \(note)" }
        return text
    }

    private func write(
        _ result: CrossoverResult,
        as format: CrossoverFormat,
        to destination: ReportDestination
    ) throws {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        let style = CrossoverReport.Style(
            hasColor: isTerminal && noColor.isEmpty,
            isUTF8: !isTerminal || TextEncoding.setLocale()
        )
        switch format {
        case .text:
            let style = output == nil ? style : CrossoverReport.Style()
            try destination.write(CrossoverReport.text(of: result, style: style))
        case .json: try destination.write(JSONReport.text(of: result))
        case .markdown: try destination.write(CrossoverReport.markdown(of: result))
        case .svg: try destination.write(CrossoverPicture.svg(of: result))
        }
        // The file contains an image, so write the text report to standard output.
        if output != nil, format == .svg {
            try StandardOutput.write(CrossoverReport.text(of: result, style: style))
        }
    }
}

enum CrossoverFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case markdown
    case svg

    /// Creates the format for a file's extension, or returns `nil` for an unknown extension.
    ///
    /// The format for a name without an extension, such as `/dev/stdout`, is text.
    init?(ofFile path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard name.contains(".") else {
            self = .text
            return
        }
        switch name.split(separator: ".").last?.lowercased() {
        case "svg": self = .svg
        case "json": self = .json
        case "md", "markdown": self = .markdown
        case "txt": self = .text
        default: return nil
        }
    }
}
