import Findings
import Foundation
import Scenarios
import Telemetry
import Text
import WorkloadEngine

/// An object that searches for changes to an arm that improve a scenario's primary metrics.
///
/// The search runs the current arm once and derives candidates from the result. A screening tests
/// all candidates in a few short runs. Confirmations then test the best candidates, at most three at
/// a time, on fresh pairs of runs. Only the fresh pairs determine the verdict, so a candidate that
/// led the screening by chance has no advantage.
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
    /// The usual number of candidates, before a run determines them.
    private static let usualCandidates = 8
    /// The longest measured part of a run that a default primary metric may need, as a share of the
    /// time limit.
    private static let longestRunShare = 0.03
    /// The share of failed accesses, from 0 to 1, above which a client's error rate becomes a
    /// primary metric.
    private static let errorShare = 0.005

    /// Creates a search.
    ///
    /// Call ``run()`` to start it.
    ///
    /// - Throws: `RunError` if the scenario does not have the requested arm.
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
    /// - Throws: `RunError`, or `ScenarioError` if a time in the scenario exceeds the length of
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
        } catch let error as RunError where !result.candidates.isEmpty && error.code != .scenario {
            result.end(after: error)
        }
        result.candidates.sort(by: AdviceResult.precedes)
        result.answer = result.sentence
        return result
    }

    private var timeLimitReason: String {
        "the time limit was reached (--within \(ReportUnits.seconds(options.timeLimit.inSeconds)))"
    }

    // MARK: Steps

    private func search(_ result: inout AdviceResult) async throws {
        let limit = options.timeLimit.inSeconds
        options.onProgress?("\(arm.name): the current settings")
        var schedule = AdviceSchedule(
            limit: limit,
            scenario: scenario,
            representative: representativeSeconds { $0.holdsLocks }
        )
        guard schedule.fitsBaseline else {
            let needed = neededLimit(schedule, candidates: Self.usualCandidates, tests: 2)
            let minutes = Int((needed / 60).rounded(.up))
            result.partial = true
            result.partialReason =
                "each run must last \(ReportUnits.seconds(schedule.shortest)), so that each client "
                + "that holds locks takes part; the search needs about \(minutes) min "
                + "(--within \(minutes)m)"
            return
        }
        var baseline = try await trials.run(
            scenario.scaled(toBlock: .seconds(schedule.baseline)),
            on: arm,
            datasetSeed: scenario.seed
        )
        result.settings = baseline.journalSettings
        if let reason = baseline.invalidReason { result.warnings = [reason] }
        let metrics = try primaryMetrics(baseline)
        result.primary = metrics.map(\.name)
        let indexes = try indexProposals(&baseline)
        result.findings = baseline.findings
        let candidates = AdviceCandidates(
            arm: arm,
            baseline: baseline,
            clients: scenario.clients,
            indexes: indexes
        )
        var found = candidates.all.map { ScreenedCandidate($0) }
        schedule.needed = AdviceSchedule.neededSeconds(for: metrics, in: baseline)
        schedule.representative = representativeSeconds { client in
            client.holdsLocks || baseline.clients[client.name]?.errorCount ?? 0 > 0
        }
        let plan = schedule.screening(candidates: found.count, overhead: trials.overhead)
        result.screeningRounds = plan.rounds.filter { $0 > 0 }.count
        result.screeningSeconds = plan.seconds.rounded(toDigits: 3)
        let screening = AdviceScreening(
            scenario: scenario,
            arm: arm,
            metrics: metrics,
            trials: trials,
            onProgress: options.onProgress
        )
        do {
            try await screening.run(&found, plan)
            try await repeatScreening(
                screening,
                seconds: plan.seconds,
                schedule: schedule,
                found: &found
            )
        } catch let end as TrialRunner.End {
            let needed = neededLimit(schedule, candidates: found.count, tests: metrics.count)
            result.candidates = found.map {
                $0.notTested(end == .stopped ? "stopped" : nil, needed: needed)
            }
            throw end
        }
        result.screeningRounds = found.map(\.gains.count).max() ?? 0
        try await confirm(found, metrics: metrics, schedule: schedule, result: &result)
    }

    /// The share of the limit up to which the screening is repeated if nothing is promising.
    private static let repeatedShare = 0.6
    private static let maximumRounds = 8

    /// Repeats the screening of all candidates to exclude smaller effects if nothing is promising.
    private func repeatScreening(
        _ screening: AdviceScreening,
        seconds: Double,
        schedule: AdviceSchedule,
        found: inout [ScreenedCandidate]
    ) async throws {
        var round = Self.maximumRounds
        let length = schedule.phases(measured: seconds) + trials.overhead
        let time = Double(found.count + 1) * length
        while found.allSatisfy({ $0.isTested && !$0.isPromising }),
            found.map(\.gains.count).max() ?? 0 < Self.maximumRounds, !found.isEmpty,
            trials.elapsed + time < options.timeLimit.inSeconds * Self.repeatedShare
        {
            try await screening.run(&found, ([found.count], seconds), first: round)
            round += 1
        }
    }

    /// Returns the measured time that contains an access of each rare client of some kind.
    private func representativeSeconds(of isRelevant: (Client) -> Bool) -> Double {
        let times = scenario.clients.filter(isRelevant).compactMap {
            $0.representativeTime(in: scenario)?.inSeconds
        }
        // The times of a scenario are whole milliseconds.
        return ((times.max() ?? 0) * 1_000).rounded(.up) / 1_000
    }

    private func neededLimit(
        _ schedule: AdviceSchedule,
        candidates: Int,
        tests: Int
    ) -> Double {
        schedule.neededLimit(
            spent: trials.elapsed,
            candidates: candidates,
            tests: tests,
            overhead: trials.overhead
        )
    }

    /// Returns the index proposals for a copy of the database.
    ///
    /// If the arm's library reports no profiles, this method adds those of the copy to
    /// `baseline`.
    private func indexProposals(_ baseline: inout ArmResult) throws -> [[String]] {
        // The arm's setup may create indexes.
        var copied = Arm(name: "advice", kind: .queue, pragmas: foreignKeys, setup: arm.setup)
        copied.isGuarded = arm.isGuarded
        let copy = ProfiledCopy(
            scenario: scenario,
            arm: arm,
            openedAs: copied,
            datasets: datasets,
            factory: factory,
            options: options.run
        )
        let advice = try copy.open(addingProfilesTo: &baseline.clients) { target, clients in
            let plans = clients.sorted { $0.key < $1.key }
                .flatMap { ($0.value.operations ?? [:]).sorted { $0.key < $1.key } }
                .flatMap { $0.value.profile?.plans ?? [] }
            return try options.indexes(target, plans)
        }
        var facts = baseline.loadFacts(of: scenario.clients, on: arm)
        facts.obstacles = advice.obstacles
        let findings = LoadRules.findings(in: facts)
        baseline.findings = findings.isEmpty ? nil : findings
        return advice.indexes
    }

    /// The arm's pragma that decides whether foreign keys are enforced, if any.
    private var foreignKeys: [Arm.Pragma] {
        arm.pragmas.filter { $0.name.lowercased() == "foreign_keys" }
    }

    private func primaryMetrics(_ baseline: ArmResult) throws -> [ComparisonMetric] {
        let plan = try ComparisonPlan(
            scenario,
            arms: [arm],
            options: ComparisonOptions()
        )
        var metrics = plan.primary
        if scenario.primary.isEmpty {
            // The latencies of a client that is too rare for a median would need very long runs.
            let longest = options.timeLimit.inSeconds * Self.longestRunShare
            let frequent = metrics.filter {
                AdviceSchedule.neededSeconds(for: [$0], in: baseline) <= longest
            }
            if !frequent.isEmpty { metrics = frequent }
        }
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

    /// The confirmed improvement from which the other candidates would be tested on an arm that
    /// nobody should keep.
    ///
    /// Indexes of different tables help different statements, so they are confirmed together.
    private static let largeEffect = 2.0

    /// Confirms the most promising candidates, and then others while there is time.
    private func confirm(
        _ found: [ScreenedCandidate],
        metrics: [ComparisonMetric],
        schedule: AdviceSchedule,
        result: inout AdviceResult
    ) async throws {
        var open = found
        let tests: (Int) -> Int = { $0 * metrics.count }
        result.candidates = open.filter { !$0.isPromising && $0.isTested }
            .map { $0.result(.notPromising) }
        open.removeAll { !$0.isPromising && $0.isTested }
        defer {
            let isStopped = trials.isStopped
            let best = result.recommended.min(by: AdviceResult.precedes)
            let unscreened = open.count { !$0.isTested }
            let needed = neededLimit(schedule, candidates: unscreened, tests: metrics.count)
            result.candidates += open.map { candidate in
                var reason = isStopped ? AdviceResult.stopped : nil
                if let better = result.confirmed(sameKindAs: candidate, among: found) {
                    reason = candidate.reason(instead: better)
                } else if let group = tested(in: result, among: found).first(where: {
                    $0.contains(candidate.candidate)
                }) {
                    reason = "tested in \(group.title)"
                } else if let best, best.effect >= Self.largeEffect,
                    !candidate.candidate.isIndex || hasLargeChange(in: result, among: found)
                {
                    let change = found.first { $0.candidate.arm.name == best.name }?.candidate.title
                    reason = "apply \(change ?? best.name) first, and run advise again"
                }
                return candidate.notTested(reason, needed: needed)
            }
        }
        while true {
            let tested = tested(in: result, among: found)
            guard !hasLargeChange(in: result, among: found) else { return }
            let hasLargeIndex = result.recommended.contains { $0.effect >= Self.largeEffect }
            let left = open.filter { other in
                (!hasLargeIndex || other.candidate.isIndex)
                    && !tested.contains {
                        $0.kind == other.candidate.kind || $0.contains(other.candidate)
                    }
            }
            let chosen = left.chosen(atMost: Self.maximumConfirmed)
            guard !chosen.isEmpty else { return }
            let plan = schedule.confirmation(
                candidates: chosen.count,
                tests: tests,
                remaining: remaining,
                // The current arm runs twice in each block.
                overhead: trials.overhead(of: [arm, arm] + chosen.map(\.candidate.arm)),
                improvements: chosen.map { $0.isTradeOff ? 1 : exp($0.score ?? 0) }
            )
            guard let plan else {
                guard result.blocks == 0 else { return }
                result.partial = true
                result.partialReason = timeLimitReason + " before the confirmation could start"
                return
            }
            let tried = Array(chosen.prefix(plan.candidates))
            let start = trials.elapsed
            let compared = try await compare(tried, metrics: metrics, plan: plan)
            result.add(compared)
            // With too few blocks, no difference can be significant.
            let count = compared.pairs.filter(\.primary).count
            guard BlockCount.suffices(compared.blocks, tests: count) else {
                throw compared.partial ? TrialRunner.End.stopped : TrialRunner.End.timedOut
            }
            let names = Set(tried.map(\.candidate.arm.name))
            open.removeAll { names.contains($0.candidate.arm.name) }
            let needed = trials.elapsed + (trials.elapsed - start) * 1.5
            result.candidates += tried.map {
                judgedCandidate($0, compared: compared, needed: needed)
            }
            if compared.partial { throw TrialRunner.End.stopped }
        }
    }

    private func tested(
        in result: AdviceResult,
        among found: [ScreenedCandidate]
    ) -> [AdviceCandidate] {
        found.filter { tried in
            result.candidates.contains { $0.name == tried.candidate.arm.name && $0.blocks > 0 }
        }.map(\.candidate)
    }

    /// Whether a change other than an index improved the load by so much that the current arm no
    /// longer shows what the other candidates do.
    private func hasLargeChange(
        in result: AdviceResult,
        among found: [ScreenedCandidate]
    ) -> Bool {
        result.recommended.contains { recommended in
            recommended.effect >= Self.largeEffect
                && found.contains {
                    $0.candidate.arm.name == recommended.name && !$0.candidate.isIndex
                }
        }
    }

    /// The remaining time for the confirmation, in seconds.
    ///
    /// Half a second is reserved for the report.
    private var remaining: Double { options.timeLimit.inSeconds - trials.elapsed - 0.5 }

    private func compare(
        _ chosen: [ScreenedCandidate],
        metrics: [ComparisonMetric],
        plan: (candidates: Int, blocks: Int, seconds: Double)
    ) async throws -> ComparisonResult {
        var scenario = scenario
        scenario.arms = [arm] + chosen.map(\.candidate.arm)
        var comparisonOptions = ComparisonOptions()
        comparisonOptions.blocks = plan.blocks
        comparisonOptions.duration = .seconds(plan.seconds)
        comparisonOptions.arms = scenario.arms.map(\.name)
        comparisonOptions.primary = metrics.map(\.name)
        comparisonOptions.onlyAgainstFirst = true
        comparisonOptions.endsAtFailedRun = true
        for candidate in chosen.map(\.candidate) {
            comparisonOptions.batches[candidate.arm.name] = candidate.batch
        }
        comparisonOptions.run = options.run
        // A rare client that holds no lock may be absent.
        comparisonOptions.run.judgesUnfinished = false
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
        compared: ComparisonResult,
        needed: Double
    ) -> AdviceResult.Candidate {
        let pairs = compared.pairs.filter { $0.a == arm.name && $0.b == tried.candidate.arm.name }
        let primaryPairs = pairs.filter(\.primary)
        var result = tried.result(
            AdviceResult.verdict(
                on: primaryPairs,
                closedLoops: Set(
                    scenario.clients.filter { if case .closed = $0.pace { true } else { false } }
                        .map(\.name)
                ),
                savedShare: compared.savedShare(of: tried.candidate.arm.name, against: arm.name)
            )
        )
        result.confirmed = primaryPairs
        if result.verdict == .noDifference,
            primaryPairs.contains(where: { $0.mayImprove(beyond: compared.noiseFloor) })
        {
            // More blocks may confirm the improvement.
            result = tried.notTested(nil, needed: needed)
            result.confirmed = primaryPairs
        } else if result.verdict != .recommended, result.verdict != .tradeOff {
            result.bound = AdviceResult.Candidate.bound(
                of: primaryPairs,
                noiseFloor: compared.noiseFloor
            )
        }
        let effects = pairs.filter { !$0.primary && $0.verdict == .worse }
        if !effects.isEmpty { result.sideEffects = effects }
        if tried.candidate.isIndex {
            let names = scenario.clients.filter(\.writes).map { "\($0.name).response.p50" }
            let writes = pairs.filter { names.contains($0.metric) && !$0.primary }
            if !writes.isEmpty { result.writes = writes }
        }
        return result
    }
}
