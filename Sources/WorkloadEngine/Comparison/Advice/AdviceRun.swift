import Foundation
import Telemetry

/// Searches for changes of an arm that improve a scenario's deciding metrics.
///
/// It runs the present arm once and derives candidates from the result. It screens all of them in a
/// few short runs, and confirms the best three on fresh pairs of runs. Only the fresh pairs decide:
/// a candidate that came first in the screening by chance has no advantage there.
///
/// All methods are safe to call from any thread. Call ``run()`` once.
public final class AdviceRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let options: AdviceOptions
    private let trials: TrialRunner
    private let datasets: DatasetStore
    private let arm: Arm
    private let comparison = Lock<ComparisonRun?>(nil)

    /// The maximum number of candidates to confirm.
    private static let mostConfirmed = 3
    /// The factor by which a candidate must be better in the screening.
    private static let leastScreening = 1.02
    /// The share of failed accesses, in 0…1, above which a client's error rate also decides.
    private static let errorShare = 0.005

    /// Prepares a search; call ``run()`` to start it.
    ///
    /// - Throws: ``RunError`` for an arm that the scenario does not have.
    public init(
        scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: AdviceOptions
    ) throws {
        self.scenario = scenario
        self.factory = factory
        arm = try Self.presentArm(of: scenario, options.arm)
        datasets = DatasetStore(in: options.run.folder)
        var options = options
        options.run.datasets = datasets
        self.options = options
        trials = TrialRunner(factory, options: options.run, limit: options.within)
    }

    private static func presentArm(of scenario: Scenario, _ name: String?) throws -> Arm {
        if let name {
            if let arm = scenario.arms.first(where: { $0.name == name }) { return arm }
            throw RunError(
                .scenario,
                "\(scenario.name) has no arm '\(name)'"
                    + NearestName.hint(name, among: scenario.arms.map(\.name))
            )
        }
        let arms = scenario.defaultArms
        guard let arm = arms.first(where: { $0.name == "present" }) ?? arms.first else {
            throw RunError(.scenario, "\(scenario.name) has no arm")
        }
        return arm
    }

    /// Ends the search early: the result contains the findings so far.
    public func stop() {
        trials.stop()
        comparison.withLock { $0 }?.stop()
    }

    /// Runs the search.
    ///
    /// - Throws: ``RunError``, or ``ScenarioError`` for a time that does not fit.
    public func run() async throws -> AdviceResult {
        defer { datasets.remove() }
        var result = AdviceResult(
            schema: AdviceResult.schemaName,
            answer: "",
            scenario: scenario.name,
            seed: scenario.seed,
            environment: HostEnvironment(
                in: options.run.folder,
                scenario: scenario,
                versions: options.versions
            ),
            arm: arm.name,
            primary: [],
            partial: false,
            blocks: 0,
            screeningSeconds: 0,
            candidates: []
        )
        do {
            try await search(&result)
        } catch TrialRunner.End.stopped {
            result.partial = true
            result.partialReason = AdviceResult.stopped
        } catch TrialRunner.End.late {
            result.partial = true
            result.partialReason = timeWasUp
        }
        result.candidates.sort(by: AdviceResult.precedes)
        result.answer = AdviceReport.answer(of: result)
        return result
    }

    private var timeWasUp: String {
        "the time was up (--within \(HumanUnits.seconds(options.within.inSeconds)))"
    }

    // MARK: Steps

    private func search(_ result: inout AdviceResult) async throws {
        let limit = options.within.inSeconds
        options.onProgress?("\(arm.name): the present state")
        let first = AdviceSchedule.baseline(within: limit)
        let baseline = try await trials.run(
            scenario.scaled(toBlock: .seconds(first)),
            on: arm,
            datasetSeed: scenario.seed
        )
        result.settings = baseline.journalSettings
        if let reason = baseline.invalidReason { result.warnings = [reason] }
        let metrics = try decidingMetrics(baseline)
        result.primary = metrics.map(\.name)
        let maker = AdviceCandidates(
            arm: arm,
            baseline: baseline,
            promisingReaders: promisingReaders(baseline),
            indexes: try indexProposals()
        )
        var found = maker.all.map(Tried.init)
        let schedule = AdviceSchedule.screening(
            candidates: found.count,
            within: limit,
            overhead: trials.overhead
        )
        result.screeningSeconds = schedule.seconds.rounded(toDigits: 3)
        do {
            try await screen(&found, metrics, schedule)
        } catch let end as TrialRunner.End {
            result.candidates = found.map { $0.result(.notConfirmed) }
            throw end
        }
        try await confirm(found, metrics, &result)
    }

    /// Prepares the index proposals from a copy of the data.
    private func indexProposals() throws -> AdviceOptions.IndexProposals {
        let folder = options.run.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("database.sqlite")
        if case .copy(let database) = options.run.database {
            try factory.copyDatabase(at: database.path, to: file.path) { _ in }
        } else {
            try datasets.copy(dataOf: scenario, for: arm, through: factory, to: file) { _ in }
        }
        let target = try factory.open(Arm(name: "advice", kind: .queue), at: file.path)
        defer { try? target.close() }
        return try options.indexes(target)
    }

    /// A candidate with the results of its screening runs.
    private struct Tried {
        var candidate: AdviceCandidate
        var measurements: [ComparisonMeasurement] = []
        var problem: String?
        var score: Double?

        init(_ candidate: AdviceCandidate) { self.candidate = candidate }

        func result(_ verdict: AdviceResult.Verdict) -> AdviceResult.Candidate {
            AdviceResult.Candidate(
                name: candidate.arm.name,
                change: candidate.change,
                cost: candidate.cost,
                weakensDurability: candidate.weakensDurability,
                verdict: problem == nil ? verdict : .failed,
                screening: score.map { exp($0).rounded(toDigits: 3) },
                problem: problem
            )
        }
    }

    /// Returns the metrics that the scenario declares, and the error rates of clients with many
    /// errors.
    private func decidingMetrics(_ baseline: ArmResult) throws -> [ComparisonMetric] {
        let plan = try ComparisonPlan(
            scenario,
            arms: [arm],
            options: ComparisonOptions()
        )
        var metrics = plan.primary
        let catalog = MetricCatalog(clients: scenario.clients.map(\.name))
        for (name, client) in baseline.clients.sorted(by: { $0.key < $1.key }) {
            guard client.offered > 0,
                Double(client.errorCount) > Self.errorShare * Double(client.offered),
                let metric = try? ComparisonMetric("\(name).errors.rate", in: catalog),
                !metrics.contains(metric)
            else { continue }
            metrics.append(metric)
        }
        return metrics
    }

    /// The smallest number of readers whose simulated waits are nearly the shortest.
    private func promisingReaders(_ baseline: ArmResult) -> [Int] {
        guard arm.kind == .pool else { return [] }
        let recorded = RunResult(
            scenario: scenario,
            environment: HostEnvironment(
                in: options.run.folder,
                scenario: scenario,
                versions: options.versions
            ),
            runs: [baseline]
        )
        guard let whatIf = try? WhatIf(recorded, arm: arm.name),
            let predicted = try? whatIf.predict([1, 2, 4, 8, 16].map { .pool(readers: $0) })
        else { return [] }
        let waits = predicted.predictions.compactMap { prediction -> (Int, Double)? in
            guard let readers = prediction.setting.readers, !prediction.clients.isEmpty else {
                return nil
            }
            return (readers, prediction.clients.values.reduce(0) { $0 + Double($1.p99) })
        }
        guard let best = waits.map(\.1).min() else { return [] }
        // One microsecond does not justify another connection.
        return waits.first { $0.1 <= best * 1.1 + 1_000 }.map { [$0.0] } ?? []
    }

    // MARK: Screening

    private func screen(
        _ found: inout [Tried],
        _ metrics: [ComparisonMetric],
        _ schedule: (rounds: Int, seconds: Double)
    ) async throws {
        let block = try scenario.scaled(toBlock: .seconds(schedule.seconds))
        // Confirming pairs use the seeds from the scenario's seed upward.
        let seed = scenario.seed &+ 10_000
        var present: [ComparisonMeasurement] = []
        var random = RandomStream(seed: scenario.seed, stream: "advice/order")
        for round in 1...schedule.rounds {
            let seeded = block.with(seed: seed &+ UInt64(round))
            for index in Array(0...found.count).shuffled(using: &random) {
                guard index < found.count else {
                    options.onProgress?("screening: \(arm.name)")
                    let run = try await trials.run(seeded, on: arm, datasetSeed: scenario.seed)
                    present.append(ComparisonMeasurement(run))
                    continue
                }
                guard found[index].problem == nil else { continue }
                let candidate = found[index].candidate
                options.onProgress?("screening: \(candidate.arm.name)")
                do {
                    let run = try await trials.run(
                        seeded,
                        on: candidate.arm,
                        datasetSeed: scenario.seed
                    )
                    found[index].problem = Self.problem(of: run)
                    found[index].measurements.append(ComparisonMeasurement(run))
                } catch let error as RunError {
                    found[index].problem = error.description
                }
            }
        }
        for index in found.indices where found[index].problem == nil {
            found[index].score = score(of: found[index].measurements, present, metrics)
        }
    }

    private static func problem(of run: ArmResult) -> String? {
        run.unsupported?.sorted { $0.key < $1.key }.first.map { client, reason in
            "\(client) does not run: \(reason)"
        }
    }

    /// Returns the mean logarithm of a candidate's improvement factors; nil without common values.
    private func score(
        of changed: [ComparisonMeasurement],
        _ present: [ComparisonMeasurement],
        _ metrics: [ComparisonMetric]
    ) -> Double? {
        var gains: [Double] = []
        for metric in metrics {
            for (before, after) in zip(present, changed) {
                guard let (a, b) = Self.values(of: metric, before, after) else { continue }
                let smallest = metric.smallest(seconds: before.result.duration)
                let change = log(max(a, smallest) / max(b, smallest))
                gains.append(metric.isLowerBetter ? change : -change)
            }
        }
        guard !gains.isEmpty else { return nil }
        return gains.reduce(0, +) / Double(gains.count)
    }

    /// Returns the values of the highest percentile for which both runs have enough samples.
    private static func values(
        of metric: ComparisonMetric,
        _ before: ComparisonMeasurement,
        _ after: ComparisonMeasurement
    ) -> (Double, Double)? {
        var metric: ComparisonMetric? = metric
        while let current = metric {
            if let a = before.value(of: current), let b = after.value(of: current) { return (a, b) }
            metric = current.lowerPercentile
        }
        return nil
    }

    // MARK: Confirmation

    private func confirm(
        _ found: [Tried],
        _ metrics: [ComparisonMetric],
        _ result: inout AdviceResult
    ) async throws {
        let ranked = found.filter { ($0.score ?? 0) > log(Self.leastScreening) }
            .sorted { ($0.score ?? 0) > ($1.score ?? 0) }
        var chosen: [Tried] = []
        // Choose candidates that keep durability first, and only one of each kind.
        for tried in ranked.filter({ !$0.candidate.weakensDurability })
            + ranked.filter(\.candidate.weakensDurability)
        where chosen.count < Self.mostConfirmed {
            guard !chosen.contains(where: { $0.candidate.kind == tried.candidate.kind }) else {
                continue
            }
            chosen.append(tried)
        }
        let plan = AdviceSchedule.confirmation(
            candidates: chosen.count,
            tests: { count in
                let arms = [self.arm] + chosen.prefix(count).map(\.candidate.arm)
                return ComparisonPlan.pairs(of: arms).count * metrics.count
            },
            left: options.within.inSeconds - trials.elapsed,
            overhead: trials.overhead
        )
        if plan == nil, !chosen.isEmpty {
            result.partial = true
            result.partialReason = timeWasUp + " before anything could be confirmed"
        }
        chosen = Array(chosen.prefix(plan?.candidates ?? 0))
        let names = Set(chosen.map(\.candidate.arm.name))
        let promising = Set(ranked.map(\.candidate.arm.name))
        result.candidates = found.filter { !names.contains($0.candidate.arm.name) }.map {
            $0.result(
                promising.contains($0.candidate.arm.name) ? .notConfirmed : .notPromising
            )
        }
        guard let plan else { return }
        let compared = try await compare(chosen, metrics, plan)
        result.blocks = compared.blocks
        result.confirmingSeconds = compared.blockDuration.rounded(toDigits: 3)
        var warnings = (result.warnings ?? []) + (compared.warnings ?? [])
        warnings += (compared.failedRuns ?? []).prefix(3)
        warnings += (compared.invalidRuns ?? []).prefix(3)
        result.warnings = warnings.isEmpty ? nil : warnings
        result.candidates += chosen.map { judged($0, compared) }
        if compared.partial { throw TrialRunner.End.stopped }
    }

    private func compare(
        _ chosen: [Tried],
        _ metrics: [ComparisonMetric],
        _ plan: (candidates: Int, blocks: Int, seconds: Double)
    ) async throws -> ComparisonResult {
        var scenario = scenario
        scenario.arms = [arm] + chosen.map(\.candidate.arm)
        var comparisonOptions = ComparisonOptions()
        comparisonOptions.blocks = plan.blocks
        comparisonOptions.duration = .seconds(plan.seconds)
        comparisonOptions.arms = scenario.arms.map(\.name)
        comparisonOptions.primary = metrics.map(\.name)
        comparisonOptions.run = options.run
        comparisonOptions.versions = options.versions
        comparisonOptions.onProgress = { [options] in options.onProgress?("confirming: \($0)") }
        let run = ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: comparisonOptions
        )
        comparison.withLock { $0 = run }
        if trials.isStopped { run.stop() }
        return try await run.run()
    }

    private func judged(_ tried: Tried, _ compared: ComparisonResult) -> AdviceResult.Candidate {
        let pairs = compared.pairs.filter { $0.a == arm.name && $0.b == tried.candidate.arm.name }
        let deciding = pairs.filter(\.primary)
        let isBetter = deciding.contains { $0.verdict == .better }
        let isWorse = deciding.contains { $0.verdict == .worse }
        let verdict: AdviceResult.Verdict =
            isBetter ? (isWorse ? .tradeOff : .recommended) : isWorse ? .worse : .noDifference
        var result = tried.result(verdict)
        result.confirmed = deciding
        let effects = pairs.filter { !$0.primary && $0.verdict == .worse }
        if !effects.isEmpty { result.sideEffects = effects }
        return result
    }
}
