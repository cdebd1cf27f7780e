import ArgumentParser
import Foundation
import WorkloadEngine

/// `poolgauge what-if`.
struct WhatIfSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if",
        abstract: "Predict from a recorded run how long accesses would wait with 1 to 16 readers, "
            + "or in a queue.",
        discussion: "The result is one of 'poolgauge run … --format json'. Its arrivals come "
            + "again in a simulation, with its service times, on as many processors as the "
            + "machine had."
    )

    @Argument(help: "The JSON file of a run.", completion: .file(extensions: ["json"]))
    var result: String

    @Option(help: "The arm to predict from; by default the result's first pool, or first arm.")
    var arm: String?

    @Flag(help: "Run the two nearest settings, and report how far the predictions are off.")
    var check = false

    @Option(
        help: "For --check: how often each setting is run; the runs count together."
    )
    var checkRuns = 3

    @Flag(
        help: ArgumentHelp(
            "For --check: run the recorded setting as well, and say whether the machine still "
                + "gives what was recorded."
        )
    )
    var checkRecorded = false

    @Option(
        help: ArgumentHelp(
            "The scenario for --check: a preset's name, or the path of a YAML file; by default "
                + "the text in the result."
        ),
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "For --check: a part of the scenario that was set for the recording too; may be given "
                + "several times.",
            valueName: "path=value"
        ),
        transform: SettingArgument.parse
    )
    var settings: [SettingArgument] = []

    @Option(
        help: "For --check: the database that the recording ran on; copies of it are used.",
        completion: .file()
    )
    var database: String?

    @Option(help: "How the report is written.")
    var format = WhatIfFormat.text

    @Option(
        help: "The file that receives the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...100).contains(checkRuns) else {
            throw ValidationError("--check-runs is 1 to 100")
        }
        guard !check else { return }
        let isAboutCheck = [
            "--check-recorded": checkRecorded, "--scenario": scenario != nil,
            "--set": !settings.isEmpty, "--database": database != nil,
        ]
        guard let name = isAboutCheck.filter(\.value).keys.min() else { return }
        throw ValidationError("\(name) is about the runs of --check: give it too")
    }

    func run() throws {
        let whatIf = try WhatIf(try recordedResult(), arm: arm)
        // What is wrong with the scenario is said before anything takes long.
        let scenario =
            check
            ? try whatIf.scenario(
                self.scenario.map { try Scenario.load(nameOrPath: $0) },
                with: settings.map(\.setting)
            ) : nil
        let database = try checkedDatabase(of: whatIf)
        let destination = try ReportDestination(path: output)
        let reporter = ProgressReporter(progress)
        reporter.say("simulating")
        var settings = WhatIfSetting.all
        for neighbour in whatIf.recorded.neighbours where !settings.contains(neighbour) {
            settings.append(neighbour)
        }
        var predictions = try whatIf.predict(settings)
        reporter.finish()
        var ending: ExitCode?
        if let scenario {
            let checks = try whatIf.checkRuns(
                in: scenario,
                times: checkRuns,
                includingRecorded: checkRecorded
            )
            var run = HeadlessRun(scenario: scenario, arms: checks.map(\.arm))
            run.database = database
            run.progress = progress
            let (measured, signal) = try run.measure()
            predictions = whatIf.adding(
                Array(zip(checks, measured.runs)),
                on: measured.environment,
                to: predictions
            )
            if let signal {
                ending = ExitCode(128 + signal)
            } else if [.failed, .invalid].contains(measured.exitStatus) {
                ending = ExitCode(measured.exitStatus.rawValue)
            }
        }
        switch format {
        case .text: try destination.write(WhatIfReport.text(of: predictions))
        case .json: try destination.write(JSONReport.text(of: predictions))
        }
        if let ending { throw ending }
    }

    /// The user's database for the real runs, if there is one.
    private func checkedDatabase(of whatIf: WhatIf) throws -> UserDatabase? {
        if let database {
            let url = try DatabaseFile.url(database, for: scenario ?? "")
            if whatIf.hasOwnDatabase == false {
                throw CommandFailure(
                    "--database: the run was recorded on the scenario's data, and its checks need "
                        + "the same"
                )
            }
            return .copy(of: url)
        }
        guard check, whatIf.hasOwnDatabase == true else { return nil }
        throw CommandFailure(
            "the run was recorded on a database of yours: name it with --database, and the runs "
                + "of --check use copies of it"
        )
    }

    private func recordedResult() throws -> RunResult {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: result))
        } catch {
            let reason =
                FileManager.default.fileExists(atPath: result)
                ? "it cannot be read" : "there is no such file"
            throw CommandFailure("\(result): \(reason)")
        }
        return try WhatIf.decode(data, file: result)
    }
}

/// How predictions are written.
enum WhatIfFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
