import Foundation
import Telemetry
import Text

/// An object that searches for changes to an arm that improve a scenario's primary metrics.
///
/// The search runs the current arm once and derives candidates from the result. A screening tests
/// all candidates in a few short runs. A confirmation then tests the best three candidates on fresh
/// pairs of runs. Only the fresh pairs determine the verdict, so a candidate that led the screening
/// by chance has no advantage.
///
/// All methods are safe to call from any thread. Call ``run()`` once.
package final class AdviceRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let options: AdviceOptions
    private let trials: TrialRunner
    private let datasets: DatasetStore
    private let arm: Arm
    private let comparison = Lock<ComparisonRun?>(nil)

    private static let maximumConfirmed = 3
    /// The share of failed accesses, from 0 to 1, above which a client's error rate becomes a
    /// primary metric.
    private static let errorShare = 0.005

    /// Creates a search.
    ///
    /// Call ``run()`` to start it.
    ///
    /// - Throws: ``RunError`` if the scenario does not have the requested arm.
    package init(
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
        trials = TrialRunner(factory, options: options.run, limit: options.timeLimit)
    }

    private static func presentArm(of scenario: Scenario, _ name: String?) throws -> Arm {
        if let name { return try scenario.arm(named: name) }
        let arms = scenario.defaultArms
        guard let arm = arms.first(where: { $0.name == "present" }) ?? arms.first else {
            throw RunError(.scenario, "\(scenario.name) has no arm")
        }
        return arm
    }

    /// Ends the search early, so that ``run()`` returns the findings so far.
    package func stop() {
        trials.stop()
        comparison.withLock { $0 }?.stop()
    }

    /// Runs the search.
    ///
    /// - Throws: ``RunError``, or ``ScenarioError`` if a time in the scenario exceeds the length of
    ///   a run.
    package func run() async throws -> AdviceResult {
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
            screeningRounds: 0,
            screeningSeconds: 0,
            candidates: []
        )
        do {
            try await search(&result)
        } catch TrialRunner.End.stopped {
            result.partial = true
            result.partialReason = AdviceResult.stopped
        } catch TrialRunner.End.timedOut {
            result.partial = true
            result.partialReason = timeLimitReason
        }
        result.candidates.sort(by: AdviceResult.precedes)
        result.answer = AdviceReport.answer(of: result)
        return result
    }

    private var timeLimitReason: String {
        "the time limit was reached (--within \(ReportUnits.seconds(options.timeLimit.inSeconds)))"
    }

    // MARK: Steps

    private func search(_ result: inout AdviceResult) async throws {
        let limit = options.timeLimit.inSeconds
        options.onProgress?("\(arm.name): the current settings")
        let first = AdviceSchedule.baselineSeconds(within: limit)
        var baseline = try await trials.run(
            scenario.scaled(toBlock: .seconds(first)),
            on: arm,
            datasetSeed: scenario.seed
        )
        result.settings = baseline.journalSettings
        result.findings = baseline.findings
        if let reason = baseline.invalidReason { result.warnings = [reason] }
        let metrics = try primaryMetrics(baseline)
        result.primary = metrics.map(\.name)
        let indexes = try indexProposals(&baseline)
        let candidates = AdviceCandidates(
            arm: arm,
            baseline: baseline,
            indexes: indexes
        )
        var found = candidates.all.map { ScreenedCandidate($0) }
        let needed = AdviceSchedule.neededSeconds(for: metrics, in: baseline)
        let schedule = AdviceSchedule.screening(
            candidates: found.count,
            within: limit,
            overhead: trials.overhead,
            needed: needed
        )
        result.screeningRounds = schedule.rounds.count
        result.screeningSeconds = schedule.seconds.rounded(toDigits: 3)
        let screening = AdviceScreening(
            scenario: scenario,
            arm: arm,
            metrics: metrics,
            trials: trials,
            onProgress: options.onProgress
        )
        do {
            try await screening.run(&found, schedule)
        } catch let end as TrialRunner.End {
            result.candidates = found.map { $0.result(.notConfirmed) }
            throw end
        }
        try await confirm(found, metrics, needed, &result)
    }

    /// Returns the index proposals for a copy of the database.
    ///
    /// If the arm's library reports no query plans, this method adds the copy's plans to
    /// `baseline`.
    private func indexProposals(_ baseline: inout ArmResult) throws -> [[String]] {
        let folder = options.run.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try PrivateFolder.create(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("database.sqlite")
        if case .copy(let database) = options.run.database {
            try factory.copyDatabase(at: database.path, to: file.path) { _ in }
        } else {
            try datasets.copy(dataOf: scenario, for: arm, through: factory, to: file) { _ in }
        }
        // Run the arm's setup, which may create indexes.
        let opener = TargetOpener(
            arm: Arm(name: "advice", kind: .queue, setup: arm.setup),
            factory: factory,
            options: options.run,
            control: RunControl(clock: options.run.clock)
        )
        let opened = try opener.open(at: file.path) { _ in }
        defer { try? opened.close() }
        let operations = baseline.clients.values.flatMap { ($0.operations ?? [:]).values }
        if operations.allSatisfy({ $0.profile == nil }) {
            let plan = try RunPlan(scenario, on: opened.target, startsProcesses: true)
            OperationProfiler(plan, on: opened.target, runsStatements: false)
                .add(to: &baseline.clients)
        }
        let plans = baseline.clients.sorted { $0.key < $1.key }
            .flatMap { ($0.value.operations ?? [:]).sorted { $0.key < $1.key } }
            .flatMap { $0.value.profile?.plans ?? [] }
        return try options.indexes(opened.target, plans)
    }

    private func primaryMetrics(_ baseline: ArmResult) throws -> [ComparisonMetric] {
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

    // MARK: Confirmation

    private func confirm(
        _ found: [ScreenedCandidate],
        _ metrics: [ComparisonMetric],
        _ needed: Double,
        _ result: inout AdviceResult
    ) async throws {
        var chosen = found.chosen(atMost: Self.maximumConfirmed)
        let plan = AdviceSchedule.confirmation(
            candidates: chosen.count,
            tests: { $0 * metrics.count },
            remaining: remaining,
            // The current arm runs twice in each block.
            overhead: trials.overhead(of: [arm, arm] + chosen.map(\.candidate.arm)),
            needed: needed
        )
        if plan == nil, !chosen.isEmpty {
            result.partial = true
            result.partialReason = timeLimitReason + " before the confirmation could start"
        }
        chosen = Array(chosen.prefix(plan?.candidates ?? 0))
        let names = Set(chosen.map(\.candidate.arm.name))
        let promising = Set(found.promising.map(\.candidate.arm.name))
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
        // Omit failures of the current arm, because the search is expected to fix them.
        warnings += (compared.failedRuns ?? []).filter { !$0.contains(", \(arm.name): ") }.prefix(3)
        warnings += (compared.invalidRuns ?? []).prefix(3)
        result.warnings = warnings.isEmpty ? nil : warnings
        result.noiseFloor = compared.noiseFloor.filter { compared.primary.contains($0.key) }
        result.candidates += chosen.map { judgedCandidate($0, compared) }
        if compared.partial { throw TrialRunner.End.stopped }
        let tests = compared.pairs.filter(\.primary).count
        if !BlockCount.suffices(compared.blocks, tests: tests) { throw TrialRunner.End.timedOut }
    }

    /// The remaining time for the confirmation, in seconds.
    ///
    /// Half a second is reserved for the report.
    private var remaining: Double { options.timeLimit.inSeconds - trials.elapsed - 0.5 }

    private func compare(
        _ chosen: [ScreenedCandidate],
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
        comparisonOptions.onlyAgainstFirst = true
        comparisonOptions.run = options.run
        comparisonOptions.limit = .seconds(max(0, remaining))
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

    private func judgedCandidate(
        _ tried: ScreenedCandidate,
        _ compared: ComparisonResult
    ) -> AdviceResult.Candidate {
        let pairs = compared.pairs.filter { $0.a == arm.name && $0.b == tried.candidate.arm.name }
        let primaryPairs = pairs.filter(\.primary)
        var result = tried.result(AdviceResult.verdict(on: primaryPairs))
        result.confirmed = primaryPairs
        let effects = pairs.filter { !$0.primary && $0.verdict == .worse }
        if !effects.isEmpty { result.sideEffects = effects }
        if case .index = tried.candidate.kind {
            let names = scenario.clients.filter(\.writes).map { "\($0.name).response.p50" }
            let writes = pairs.filter { names.contains($0.metric) && !$0.primary }
            if !writes.isEmpty { result.writes = writes }
        }
        return result
    }
}
