import Foundation
import Telemetry

/// An object that maps the settings in which one arm beats another.
///
/// Each block runs both arms in every cell, in random order, with the same data and the same seed.
/// Slow changes in the machine's speed therefore affect all cells equally. A map that ends early
/// has fewer pairs in every cell instead of empty cells.
///
/// All methods are safe to call from any thread. Call ``run()`` once.
package final class CrossoverRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let options: CrossoverOptions
    private let trials: TrialRunner
    private let planned: Lock<CrossoverPlan>

    /// Creates a run with a plan of the map.
    ///
    /// Call ``run()`` to start it.
    ///
    /// - Throws: ``RunError`` or ``ScenarioError`` if the arms, sweeps, or times do not fit the
    ///   scenario. The message contains valid values.
    package init(
        scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: CrossoverOptions
    ) throws {
        self.scenario = scenario
        self.factory = factory
        self.options = options
        planned = Lock(try CrossoverPlan(scenario, options))
        trials = TrialRunner(factory, options: options.run, limit: options.timeLimit)
    }

    /// The current plan.
    ///
    /// The time estimate is more precise after ``rehearse()``.
    package var plan: CrossoverPlan { planned.withLock { $0 } }

    /// Builds the data, runs each arm briefly to measure a run's overhead, and updates the plan.
    ///
    /// If ``stop()`` ends this method, a later call to ``run()`` returns immediately.
    ///
    /// - Throws: ``RunError`` if the measured overhead makes the map exceed its time limit.
    package func rehearse() async throws {
        guard let first = plan.cells.first, let last = plan.cells.last else { return }
        do {
            for (cell, name) in [(first, options.a), (last, options.b)] {
                // If an absolute time exceeds the shortest length, use the planned length.
                let shortest = Duration.milliseconds(Int(CrossoverOptions.shortest * 1_000))
                let brief = (try? cell.scenario.scaled(toMeasured: shortest)) ?? cell.scenario
                guard let arm = brief.arms.first(where: { $0.name == name }) else { continue }
                _ = try await trials.run(brief, on: arm, datasetSeed: scenario.seed)
            }
        } catch is TrialRunner.End {
            return
        }
        let updatedPlan = try CrossoverPlan(scenario, options, overhead: trials.overhead)
        planned.withLock { $0 = updatedPlan }
    }

    /// Ends the map early, so that ``run()`` returns the pairs measured so far.
    package func stop() { trials.stop() }

    /// The results of pairs of runs.
    private struct Tally {
        /// For each run of arm `a`, the values of the metric and its replacements, or `nil` for too
        /// few samples.
        var a: [[Double?]] = []
        /// For each run of arm `b`, the values of the metric and its replacements.
        var b: [[Double?]] = []
        var invalid = 0
        var skippedA = 0.0
        var skippedB = 0.0

        mutating func add(_ a: ArmResult, _ b: ArmResult, _ metrics: [CrossoverMetric]) {
            self.a.append(metrics.map { $0.value(in: a) })
            self.b.append(metrics.map { $0.value(in: b) })
            if !a.valid || !b.valid { invalid += 1 }
            guard let client = metrics.first?.client else { return }
            skippedA = max(skippedA, a.value(of: "\(client).skipped", "rate") ?? 0)
            skippedB = max(skippedB, b.value(of: "\(client).skipped", "rate") ?? 0)
        }

        func pairs(of index: Int) -> [(a: Double, b: Double)] {
            zip(a, b).compactMap { first, second in
                guard let a = first[index], let b = second[index] else { return nil }
                return (a, b)
            }
        }
    }

    /// Runs all blocks.
    ///
    /// - Throws: ``RunError`` if the metric's client cannot run on both arms, or if a run fails.
    package func run() async throws -> CrossoverResult {
        defer { trials.close() }
        let plan = self.plan
        let arms = try (scenario.arm(named: options.a), scenario.arm(named: options.b))
        let leftOut = try options.run.obstacles(
            to: scenario.clients,
            on: [arms.0, arms.1],
            factory: factory
        ) { client, arm, target in
            client.obstacle(on: target).map { "arm '\(arm.name)': \($0)" }
        }
        if let reason = leftOut[plan.metric.client] {
            throw RunError(
                .scenario,
                "\(plan.metric.name) cannot be compared: \(plan.metric.client) is omitted, "
                    + "because \(reason)"
            )
        }
        var tallies = [Tally](repeating: Tally(), count: plan.cells.count)
        var noise = Tally()
        var partialReason: String?
        var random = RandomStream(seed: scenario.seed, stream: "crossover/order")
        do {
            for block in 0..<options.blocks {
                let noiseCells = Set(
                    (0..<plan.cells.count).shuffled(using: &random)
                        .prefix(plan.noisePairs)
                )
                for index in (0..<plan.cells.count).shuffled(using: &random) {
                    let place = Place(cell: plan.cells[index], block: block, leftOut: leftOut)
                    options.onProgress?(
                        "block \(block + 1) of \(options.blocks): \(title(of: place.cell))"
                    )
                    let runsAFirst = Bool.random(using: &random)
                    try await runPair(place, arms, runsAFirst, plan, &tallies[index])
                    if noiseCells.contains(index) {
                        try await runPair(place, (arms.0, arms.0), true, plan, &noise)
                    }
                }
            }
        } catch TrialRunner.End.stopped {
            partialReason = CrossoverResult.stopped
        } catch TrialRunner.End.timedOut {
            partialReason =
                "the time limit was reached "
                + "(--within \(ReportUnits.seconds(options.timeLimit.inSeconds)))"
        }
        return result(tallies, noise, partialReason, leftOut)
    }

    // MARK: Runs

    private struct Place {
        var cell: CrossoverPlan.Cell
        var block: Int
        var leftOut: [String: String]
    }

    private func run(_ place: Place, on arm: Arm) async throws -> ArmResult {
        var scenario = place.cell.scenario
        scenario.clients.removeAll { place.leftOut[$0.name] != nil }
        // Use the arm in the cell's scenario, because it has the cell's number of readers.
        let cellArm = scenario.arms.first { $0.name == arm.name } ?? arm
        return try await trials.run(
            scenario.with(seed: scenario.seed &+ UInt64(place.block)),
            on: cellArm,
            datasetSeed: self.scenario.seed
        )
    }

    private func runPair(
        _ place: Place,
        _ arms: (a: Arm, b: Arm),
        _ runsAFirst: Bool,
        _ plan: CrossoverPlan,
        _ tally: inout Tally
    ) async throws {
        let first = try await run(place, on: runsAFirst ? arms.a : arms.b)
        let second = try await run(place, on: runsAFirst ? arms.b : arms.a)
        let (a, b) = runsAFirst ? (first, second) : (second, first)
        tally.add(a, b, plan.metric.replacements)
    }

    private func title(of cell: CrossoverPlan.Cell) -> String {
        zip(options.sweeps, cell.indices).map { sweep, index in
            "\(sweep.variable.name) \(sweep.values[index].text)"
        }.joined(separator: ", ")
    }

    // MARK: Result

    /// Returns the index of the first metric with values in nearly all pairs of every tally.
    ///
    /// All cells must use the same metric.
    private func commonMetricIndex(_ tallies: [Tally], _ metrics: [CrossoverMetric]) -> Int {
        metrics.indices.first { index in
            tallies.allSatisfy { tally in
                let known = tally.pairs(of: index).count
                return known * 10 >= tally.a.count * 9
            }
        } ?? metrics.count - 1
    }

    private func result(
        _ tallies: [Tally],
        _ noise: Tally,
        _ partialReason: String?,
        _ leftOut: [String: String]
    ) -> CrossoverResult {
        let plan = self.plan
        let metrics = plan.metric.replacements
        let chosen = commonMetricIndex(tallies + [noise], metrics)
        let metric = metrics[chosen]
        let noisePairs = noise.pairs(of: chosen)
        let floor = CrossoverVerdicts.floor(of: noisePairs.map { metric.logRatio($0.a, $0.b) })
        let verdicts = CrossoverVerdicts(
            higherIsBetter: plan.metric.isThroughput,
            noiseFloor: floor
        )
        let cells = zip(plan.cells, tallies).map { cell, tally in
            var values: [String: String] = [:]
            for (sweep, index) in zip(options.sweeps, cell.indices) {
                values[sweep.variable.name] = sweep.values[index].text
            }
            let pairs = tally.pairs(of: chosen)
            var result = CrossoverResult.Cell(
                indices: cell.indices,
                values: values,
                pairs: pairs.count,
                invalidPairs: tally.invalid,
                a: Spread(pairs.map(\.a))?.median,
                b: Spread(pairs.map(\.b))?.median,
                verdict: .inconclusive,
                skippedA: tally.skippedA > 0 ? tally.skippedA.rounded(toDigits: 4) : nil,
                skippedB: tally.skippedB > 0 ? tally.skippedB.rounded(toDigits: 4) : nil,
                options: cell.options
            )
            verdicts.judge(&result, pairs.map { metric.logRatio($0.a, $0.b) })
            return result
        }
        return CrossoverResult(
            schema: CrossoverResult.schemaName,
            scenario: scenario.name,
            seed: scenario.seed,
            environment: HostEnvironment(
                in: options.run.folder,
                scenario: scenario,
                versions: options.versions
            ),
            partial: partialReason != nil,
            partialReason: partialReason,
            a: options.a,
            b: options.b,
            metric: metric.name,
            metricNote: metric == plan.metric
                ? plan.metricNote
                : "\(metric.name) instead of \(plan.metric.name), because some runs had too few "
                    + "accesses; to compare \(plan.metric.name), specify a longer --duration",
            higherIsBetter: plan.metric.isThroughput,
            blocks: options.blocks,
            runSeconds: plan.duration.inSeconds,
            sweeps: options.sweeps.map {
                .init(variable: $0.variable, values: $0.values.map(\.text))
            },
            noiseFloor: floor?.rounded(toDigits: 4),
            noisePairs: noisePairs.count,
            leftOut: leftOut.isEmpty ? nil : leftOut,
            command: options.command,
            settings: trials.settings,
            cells: cells
        )
    }
}
