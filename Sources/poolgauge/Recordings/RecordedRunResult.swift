import Foundation
import Recording
import Telemetry
import WorkloadEngine

/// A converter from a recorded run to a result for predictions.
struct RecordedRunResult {
    let reader: RecordingReader
    /// The start of the period, or `nil` for the start of the recording.
    var from: RecordingMoment?
    /// The end of the period, or `nil` for the end of the recording.
    var to: RecordingMoment?
    /// The arm, or `nil` for the first pool or the first arm.
    var arm: String?

    /// Returns the recorded result or, for a period or an interrupted run, a result based on
    /// samples.
    ///
    /// - Throws: An error that explains which data the recording does not contain.
    func result() throws -> RunResult {
        if from == nil, to == nil, let json = try? reader.resultJSON() {
            return try RunResult.decode(Data(json.utf8), file: reader.path)
        }
        return try resultOfSamples()
    }

    private func resultOfSamples() throws -> RunResult {
        let contents = reader.contents
        let (start, end) = (contents.start ?? 0, contents.end ?? 0)
        let first = from?.milliseconds(from: start, to: end) ?? start
        let last = to?.milliseconds(from: start, to: end) ?? end
        guard first <= last || from == nil || to == nil else {
            throw CommandFailure("--from must be before --to")
        }
        guard first <= last, first <= end, last >= start else {
            throw CommandFailure(
                "the recording contains no samples in this period; choose another one with --from "
                    + "and --to"
            )
        }
        var runs: [(arm: String, session: RecordedSession, run: SampledRun)] = []
        for row in contents.rows[contents.index(at: first)..<contents.index(at: last + 1)] {
            guard let session = contents.session(of: row), session.kind == .run,
                case .run(let sample)? = try? reader.value(of: row),
                arm == nil || arm == sample.arm
            else { continue }
            var index = runs.firstIndex { $0.arm == sample.arm }
            if index == nil {
                runs.append((sample.arm, session, SampledRun(arm: sample.arm)))
                index = runs.count - 1
            }
            if let index { runs[index].run.add(sample) }
        }
        guard let selectedRun = runs.first(where: { $0.run.isPool }) ?? runs.first else {
            throw CommandFailure(missingSampleReason, status: ExitStatus.failed.rawValue)
        }
        guard let text = selectedRun.session.scenario, !text.isEmpty else {
            throw CommandFailure(
                "'\(reader.path)' does not contain the run's scenario, which is required to simulate the "
                    + "arrivals; record the run again with this version of poolgauge",
                status: ExitStatus.failed.rawValue
            )
        }
        let scenario = try Scenario.parse(yaml: text, file: reader.path)
        return try selectedRun.run.result(
            of: scenario,
            on: environment(of: selectedRun.session, scenario)
        )
    }

    /// The reason that the period does not contain samples of a run.
    private var missingSampleReason: String {
        let kinds = Set(reader.contents.sessions.map(\.kind))
        if !kinds.contains(.run) {
            return "'\(reader.path)' is a recording of "
                + (kinds.contains(.agent) ? "a program" : "databases")
                + ", which does not contain the arrival times of accesses; what-if requires a "
                + "recording of a run (`poolgauge run … --record FILE`)"
        }
        let names = reader.contents.sources.map { "'\($0.name)'" }
        let arms = Array(Set(names)).sorted().joined(separator: ", ")
        return arm.map {
            "the period contains no sample of arm '\($0)'; the recording contains \(arms)"
        } ?? "the period contains no sample of a run; choose another one with --from and --to"
    }

    /// Returns the description of the machine that recorded the run.
    private func environment(
        of session: RecordedSession,
        _ scenario: Scenario
    ) -> HostEnvironment {
        var environment = HostEnvironment(
            in: FileManager.default.temporaryDirectory,
            scenario: scenario
        )
        environment.scenarioText = session.scenario ?? ""
        // This machine's disk properties do not describe the recorded run.
        (environment.fileSystem, environment.syncNanoseconds) = (nil, nil)
        environment.warnings = nil
        if let json = session.environment,
            let recorded = try? JSONDecoder().decode(
                RecordingEnvironment.self,
                from: Data(json.utf8)
            )
        {
            environment.operatingSystem = recorded.operatingSystem
            environment.cpuCount = recorded.cpuCount
            environment.versions = recorded.versions
        }
        return environment
    }
}
