import ArgumentParser
import Foundation
import Recording
import WorkloadEngine

struct WhatIfSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if",
        abstract: "Predict, from a recorded run, how long accesses would wait with 1 to 16 readers "
            + "or with a single connection (a queue).",
        discussion: "Reads the output of 'poolgauge run … --format json', or a recording of a run. "
            + "Simulates the recorded arrivals and service times with the number of processors of "
            + "the machine that made the recording. For a period of a recording, or for an "
            + "interrupted run, simulates accesses at the mean rates of the period, with the "
            + "service times of its samples."
    )

    @Argument(help: "The JSON report of a run, or its recording.", completion: .file())
    var result: String

    @Option(
        help: ArgumentHelp(
            "The recorded arm to simulate; by default, the first pool in the report, or the "
                + "first arm if there is no pool."
        )
    )
    var arm: String?

    @Option(
        help: "With a recording: the start of the simulated period, as in 'poolgauge report'.",
        transform: RecordingMoment.parse
    )
    var from: RecordingMoment?

    @Option(
        help: "With a recording: the end of the simulated period.",
        transform: RecordingMoment.parse
    )
    var to: RecordingMoment?

    @Flag(
        help: ArgumentHelp(
            "Run the two settings nearest to the recorded one, and report the prediction errors."
        )
    )
    var check = false

    @Option(
        help: "With --check: the number of runs of each setting; their results are combined."
    )
    var checkRuns = 3

    @Flag(
        help: ArgumentHelp(
            "With --check: also run the recorded setting and report whether this machine "
                + "reproduces the recorded values."
        )
    )
    var checkRecorded = false

    @Option(
        help: ArgumentHelp(
            "With --check: the name of a preset, or the path to a YAML file; by default, the "
                + "scenario in the report."
        ),
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "With --check: a --set option that the recorded run also used; can be repeated.",
            valueName: "path=value"
        ),
        transform: SettingArgument.parse
    )
    var settings: [SettingArgument] = []

    @Option(
        help: "With --check: the database of the recorded run; runs use copies of it.",
        completion: .file()
    )
    var database: String?

    @OptionGroup var report: ReportOptions<PlainFormat>

    func validate() throws {
        try DistinctFiles.check(
            outputs: [.init("--output", report.output)],
            inputs: [
                .init("the recorded run", result), .scenario(scenario),
                .init("--database", database),
            ]
        )
        guard (1...100).contains(checkRuns) else {
            throw ValidationError("--check-runs must be from 1 to 100, not \(checkRuns)")
        }
        guard !check else { return }
        let checkOptions = [
            "--check-recorded": checkRecorded, "--scenario": scenario != nil,
            "--set": !settings.isEmpty, "--database": database != nil,
        ]
        guard let name = checkOptions.filter(\.value).keys.min() else { return }
        throw ValidationError("\(name) requires --check")
    }

    func run() throws {
        let whatIf = try WhatIf(try recordedResult(), arm: arm)
        // Report errors in the arguments and in the scenario before starting time-consuming work.
        let database = try checkedDatabase(of: whatIf)
        let scenario =
            check
            ? try whatIf.scenario(
                self.scenario.map { try Scenario.load(nameOrPath: $0) },
                with: settings.map(\.setting)
            ) : nil
        let destination = try report.destination()
        let reporter = ProgressReporter(report.progress)
        reporter.showStep("simulating")
        var settings = WhatIfSetting.all
        for neighbor in whatIf.recorded.neighbors where !settings.contains(neighbor) {
            settings.append(neighbor)
        }
        var predictions = try whatIf.predict(settings)
        reporter.finish()
        var exitCode: ExitCode?
        if let scenario {
            let checks = try whatIf.checkRuns(
                in: scenario,
                times: checkRuns,
                includingRecorded: checkRecorded
            )
            var run = HeadlessRun(scenario: scenario, arms: checks.map(\.arm))
            run.database = database
            run.progress = report.progress
            let (measured, signal) = try run.measure()
            predictions = whatIf.adding(
                Array(zip(checks, measured.runs)),
                on: measured.environment,
                to: predictions
            )
            if let signal {
                exitCode = ExitCode(128 + signal)
            } else if [.failed, .invalid].contains(measured.exitStatus) {
                exitCode = ExitCode(measured.exitStatus.rawValue)
            }
        }
        switch report.format {
        case .text: try destination.write(WhatIfReport.text(of: predictions))
        case .json: try destination.write(JSONReport.text(of: predictions))
        }
        if let exitCode { throw exitCode }
    }

    /// Returns the user's database for the runs of `--check`, if any.
    private func checkedDatabase(of whatIf: WhatIf) throws -> UserDatabase? {
        if let database {
            let url = try DatabaseFile.url(database, for: scenario ?? "")
            if whatIf.hasOwnDatabase == false {
                throw CommandFailure(
                    "--database: the recorded run used the scenario's own data, which --check must "
                        + "also use; omit --database"
                )
            }
            return .copy(of: url)
        }
        guard check, whatIf.hasOwnDatabase == true else { return nil }
        throw CommandFailure(
            "the recorded run used your own database; specify it with --database (--check uses "
                + "copies of it)"
        )
    }

    private func recordedResult() throws -> RunResult {
        if RecordingReader.isRecording(result) {
            return try RecordedRunResult(
                reader: RecordingReader(path: result),
                from: from,
                to: to,
                arm: arm
            ).result()
        }
        guard from == nil, to == nil else {
            throw CommandFailure(
                "--from and --to require a recording; '\(result)' is not a recording"
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: result))
        } catch {
            let reason =
                FileManager.default.fileExists(atPath: result)
                ? "the file cannot be read; check its permissions"
                : "there is no such file; check the path"
            throw CommandFailure("\(result): \(reason)")
        }
        return try RunResult.decode(data, file: result)
    }
}
