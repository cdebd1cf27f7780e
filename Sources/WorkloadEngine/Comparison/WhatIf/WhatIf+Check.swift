import Foundation
import Units

extension WhatIf {
    /// A real run that checks a prediction.
    package struct CheckRun: Sendable {
        /// The run's setting.
        package let setting: WhatIfSetting
        /// The arm to run.
        package let arm: Arm
    }

    /// Restores the recorded run's scenario from the text, measured length, seed, and scale in the
    /// result.
    ///
    /// - Parameters:
    ///   - scenario: The scenario, or `nil` to use the text in the result.
    ///   - settings: The recording's settings.
    /// - Returns: A scenario that produces the recorded load.
    /// - Throws: ``WhatIfError`` if the scenario produces a different load, or ``ScenarioError``
    ///   if the scenario is invalid.
    package func scenario(
        _ scenario: Scenario? = nil,
        with settings: [Scenario.Setting] = []
    ) throws -> Scenario {
        var scenario = try scenario ?? recordedScenario()
        scenario = try scenario.with(settings)
        if let scale = load.scale, scenario.dataset.scaleFactor != scale {
            scenario = try scenario.with(scale: scale)
        }
        scenario = scenario.with(seed: load.seed)
        let measured = load.phases.filter(\.measured).reduce(UInt64(0)) { $0 + $1.length }
        if measured != scenario.measuredDuration.wholeNanoseconds {
            scenario = try scenario.scaled(toMeasured: .nanoseconds(Int64(clamping: measured)))
        }
        try checkLoad(of: scenario)
        return scenario
    }

    private func recordedScenario() throws -> Scenario {
        let text = result.environment.scenarioText
        guard !text.isEmpty else {
            throw WhatIfError(
                .notRecorded,
                "the result does not contain its scenario's text; "
                    + "specify the scenario with --scenario"
            )
        }
        return try Scenario.parse(yaml: text, file: result.scenario)
    }

    private func checkLoad(of scenario: Scenario) throws {
        guard let arm = scenario.arms.first(where: { $0.name == run.arm }) else {
            throw WhatIfError(
                .differentScenario,
                "scenario '\(scenario.name)' has no arm '\(run.arm)'"
                    + NearestName.hint(run.arm, among: scenario.arms.map(\.name))
            )
        }
        // The plan omits clients that `NoopTarget` cannot run, so this loop does not compare them.
        let planned = RecordedLoad(
            try RunPlan(scenario, on: NoopTarget()),
            of: scenario,
            on: arm
        )
        for (name, client) in planned.clients.sorted(by: { $0.key < $1.key }) {
            if run.unsupported?[name] != nil { continue }
            // Older versions did not record interrupting clients.
            if client.interrupts != nil,
                load.clients.values.allSatisfy({ $0.interrupts == nil })
            {
                continue
            }
            guard let recorded = load.clients[name], recorded.isNearlyEqual(to: client) else {
                throw WhatIfError(
                    .differentScenario,
                    "client '\(name)' of the recorded run differs from scenario "
                        + "'\(scenario.name)'; repeat the recording's --set options, or "
                        + "specify the scenario with --scenario"
                )
            }
        }
    }

    /// Plans alternating runs of the nearest settings and, optionally, of the recorded setting.
    ///
    /// Runs of the recorded setting show whether a wrong prediction is due to the model or to a
    /// change in the machine.
    ///
    /// - Parameters:
    ///   - scenario: The scenario to run.
    ///   - times: The number of runs of each setting.
    ///   - includingRecorded: Whether to run the recorded setting.
    /// - Returns: The runs, in order.
    /// - Throws: ``WhatIfError`` if the scenario does not have the recorded arm.
    package func checkRuns(
        in scenario: Scenario,
        times: Int = 1,
        includingRecorded: Bool = false
    ) throws -> [CheckRun] {
        guard let arm = scenario.arms.first(where: { $0.name == run.arm }) else {
            throw WhatIfError(.differentScenario, "the scenario has no arm '\(run.arm)'")
        }
        let settings = (includingRecorded ? [recorded] : []) + recorded.neighbors
        let repetitions = (1...max(1, times)).flatMap { number in
            settings.map { (setting: $0, number: number) }
        }
        return repetitions.map { setting, number in
            var changed = arm
            changed.name = "\(arm.name), \(setting)" + (times > 1 ? ", run \(number)" : "")
            if let readers = setting.readers {
                changed.kind = .pool
                changed.readers = readers
                changed.journal = nil
            } else if setting != recorded {
                changed.kind = .queue
                changed.readers = nil
                // Use WAL mode, as in the prediction, to exclude the effect of a rollback journal.
                changed.journal = .wal
            }
            return CheckRun(setting: setting, arm: changed)
        }
    }

    /// Adds the results of real runs to the corresponding predictions.
    ///
    /// - Parameters:
    ///   - runs: The completed runs from ``checkRuns(in:times:includingRecorded:)``, with their
    ///     results.
    ///   - machine: The machine of the runs.
    ///   - result: The predictions.
    /// - Returns: The predictions with checks and notes.
    package func adding(
        _ runs: [(run: CheckRun, result: ArmResult)],
        on machine: HostEnvironment,
        to result: WhatIfResult
    ) -> WhatIfResult {
        guard !runs.isEmpty else { return result }
        func results(with setting: WhatIfSetting) -> [ArmResult] {
            runs.filter { $0.run.setting == setting }.map(\.result)
        }
        var result = result
        let checks: [WhatIfCheck] = recorded.neighbors.compactMap { setting in
            let measured = results(with: setting)
            guard !measured.isEmpty else { return nil }
            return result.predictions.first { $0.setting == setting }
                .map { check($0, against: measured) }
        }
        result.checks = checks.isEmpty ? nil : checks
        var notes = notes(onMachine: machine)
        let repeated = results(with: recorded)
        if !repeated.isEmpty {
            let prediction = result.predictions.first { $0.setting == recorded }
            let repetition = repetition(repeated, beside: prediction)
            result.repetition = repetition
            notes += repetition.notes
        }
        if !notes.isEmpty { result.notes = (result.notes ?? []) + notes }
        return result
    }

    private func check(_ prediction: WhatIfPrediction, against runs: [ArmResult]) -> WhatIfCheck {
        WhatIfCheck(
            setting: prediction.setting,
            clients: comparisons(of: prediction, with: runs),
            runs: runs.count > 1 ? runs.count : nil,
            problem: Self.problem(of: runs)
        )
    }

    /// Compares the recorded waits with new runs in the recorded setting.
    ///
    /// - Parameters:
    ///   - runs: The new runs.
    ///   - prediction: The prediction for the setting. If the predicted wait varies by chance,
    ///     different waits do not indicate a change in the machine.
    /// - Returns: The recorded and new waits of each client.
    func repetition(
        _ runs: [ArmResult],
        beside prediction: WhatIfPrediction?
    ) -> WhatIfRepetition {
        let problems = [
            run.partial ? "the recorded run was stopped early" : nil,
            run.valid ? nil : "the recorded run was invalid",
            run.failures.map { "the recorded run failed: \($0.joined(separator: "; "))" },
            Self.problem(of: runs),
        ].compactMap { $0 }
        var clients: [String: WhatIfRepetition.Client] = [:]
        for (name, client) in run.clients {
            guard let recordedWait = client.wait?.p99,
                let change = WhatIfComparison(
                    predicted: recordedWait,
                    measured: runs.compactMap { $0.clients[name] }
                )
            else { continue }
            var verdict = WhatIfRepetition.verdict(on: change, beside: prediction?.clients[name])
            if verdict == .changed, !problems.isEmpty { verdict = .inconclusive }
            clients[name] = WhatIfRepetition.Client(
                recorded: recordedWait,
                now: change.measured,
                least: change.least,
                most: change.most,
                verdict: verdict
            )
        }
        return WhatIfRepetition(
            runs: runs.count,
            clients: clients,
            problem: problems.isEmpty ? nil : problems.joined(separator: "; ")
        )
    }

    static func problem(of runs: [ArmResult]) -> String? {
        var problems: [String] = []
        for run in runs {
            problems += run.failures ?? []
            if run.partial { problems.append("a run was stopped early") }
            if let reason = run.invalidReason { problems.append(reason) }
        }
        var known: Set<String> = []
        problems = problems.filter { known.insert($0).inserted }
        return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }
}

extension RecordedLoad.Client {
    /// Returns whether two clients are equal, except for rounding and for values that older
    /// versions did not record.
    fileprivate func isNearlyEqual(to other: RecordedLoad.Client) -> Bool {
        func isNear(_ one: UInt64?, _ two: UInt64?) -> Bool {
            guard let one, let two else { return one == two }
            return max(one, two) - min(one, two) <= 1 + max(one, two) / 1_000_000
        }
        guard isNear(hold, other.hold), isNear(at, other.at), isNear(every, other.every) else {
            return false
        }
        let stages = (arrivals?.stages ?? [], other.arrivals?.stages ?? [])
        guard stages.0.count == stages.1.count,
            zip(stages.0, stages.1).allSatisfy({ isNear($0.length, $1.length) })
        else { return false }
        var (one, two) = (self, other)
        (one.isCutShort, two.isCutShort) = (nil, nil)
        for key in [\RecordedLoad.Client.hold, \.at, \.every] {
            one[keyPath: key] = nil
            two[keyPath: key] = nil
        }
        for index in stages.0.indices {
            one.arrivals?.stages?[index].length = 0
            two.arrivals?.stages?[index].length = 0
        }
        return one == two
    }
}
