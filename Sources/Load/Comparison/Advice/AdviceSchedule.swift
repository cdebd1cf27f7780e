import Foundation
import Scenarios
import WorkloadEngine

/// A type that divides the time limit of a search between its runs.
struct AdviceSchedule {
    private static let minimumCandidates = 4
    private static let maximumRounds = 3
    private static let minimumSeconds = 0.3
    /// The length of a measured part, in seconds, beyond which longer runs hardly reduce the noise.
    private static let sufficientSeconds = 0.35
    private static let minimumWarmUp = 0.5

    private static let screeningShare = 0.3
    /// The share of the limit that a screening may take if rare clients need long runs.
    private static let longestScreeningShare = 0.45
    /// The planned share of the remaining time for a confirmation.
    ///
    /// The rest is a reserve for delays caused by other work on the machine. If time runs out
    /// before the last block, the completed blocks may be too few for a verdict.
    private static let plannedShare = 0.9
    /// The planned share of the remaining time for a confirmation with the fewest possible blocks.
    private static let plannedShareWithoutSpare = 0.8
    /// The improvement in the screening from which short runs show an effect.
    private static let obviousFactor = 2.0
    /// The length of the measured part of runs that confirm an obvious effect, in seconds.
    private static let obviousSeconds = 1.0
    /// The factor by which runs that provide a mean are shorter than runs that provide a median.
    ///
    /// The median requires 20 of 40 expected accesses. A mean requires one of ten.
    private static let medianFactor = 4.0

    /// The length of the whole search, in seconds.
    let limit: Double
    /// The length of a measured part that contains the accesses of each client that matters, in
    /// seconds.
    var representative = 0.0
    /// The length of a measured part that provides enough samples, in seconds.
    var needed = AdviceSchedule.minimumSeconds
    /// The lengths of the scenario's warm-up and of its measured part, in seconds.
    var warmUp = 0.0
    var measured = 1.0

    init(limit: Double) { self.limit = limit }

    init(limit: Double, scenario: Scenario, representative: Double) {
        self.limit = limit
        self.representative = representative
        measured = scenario.measuredDuration.inSeconds
        warmUp = scenario.phases.prefix { !$0.isMeasured }
            .reduce(0) { $0 + $1.duration.inSeconds }
    }

    /// The shortest measured part of a run, in seconds.
    var shortest: Double { max(Self.minimumSeconds, representative) }

    /// Returns the length of a run's phases, in seconds, as ``Scenario/scaled(toBlock:)`` does.
    func phases(measured seconds: Double) -> Double {
        seconds
            + max(
                min(Self.minimumWarmUp, seconds / 2),
                warmUp * min(1, seconds / max(measured, 1e-3))
            )
    }

    /// Returns the length of the measured part of a run whose phases have a given length.
    private func measured(phases: Double) -> Double {
        var (low, high) = (0.0, max(0, phases))
        for _ in 0..<40 {
            let middle = (low + high) / 2
            if self.phases(measured: middle) <= phases { low = middle } else { high = middle }
        }
        return low
    }

    /// The length of the measured part of the current arm's run, in seconds.
    var baseline: Double {
        max(min(max(limit * 0.05, 0.7), 5), representative)
    }

    /// Whether the limit leaves time for other runs after the current arm's run.
    var fitsBaseline: Bool { phases(measured: baseline) <= max(limit * 0.4, 1.5) }

    /// Returns the length of a measured part, in seconds, that provides enough samples for the
    /// median of every primary latency.
    ///
    /// `baseline` is a run of the current arm.
    static func neededSeconds(for metrics: [ComparisonMetric], in baseline: ArmResult) -> Double {
        metrics.reduce(minimumSeconds) { longest, metric in
            var metric = metric
            while let lower = metric.lowerPercentile { metric = lower }
            guard metric.percentile != nil, baseline.duration > 0,
                let client = baseline.clients[metric.owner]
            else { return longest }
            // Skipped and unfinished accesses count with a lower bound.
            let samples = client.completed + client.skipped + client.unfinished
            guard samples > 0 else { return longest }
            let rate = Double(samples) / baseline.duration
            // The number of arrivals is random. If its mean is twice the required number, few runs
            // have too few arrivals.
            return max(longest, 2 * Double(metric.neededAccesses) / rate)
        }
    }

    /// Plans a screening.
    ///
    /// The first round runs all candidates. Each later round runs the better half of the previous
    /// round. If the time is too short for all candidates, only the first candidates run.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    /// - Returns: The number of candidates in each round, and the length of each run's measured
    ///   part in seconds.
    func screening(
        candidates: Int,
        overhead: Double
    ) -> (rounds: [Int], seconds: Double) {
        var rounds = [candidates]
        while rounds.count < Self.maximumRounds, let last = rounds.last {
            rounds.append(min(last, max((last + 1) / 2, Self.minimumCandidates)))
        }
        // The current arm runs twice in the first round, and once in each other round.
        func seconds() -> Double {
            let runs = rounds.reduce(1) { $0 + $1 + 1 }
            return measured(phases: limit * Self.screeningShare / Double(runs) - overhead)
        }
        let sufficient = max(needed, Self.sufficientSeconds, representative)
        while rounds.count > 1, seconds() < sufficient { rounds.removeLast() }
        if rounds.count == 1 {
            let run = phases(measured: shortest) + overhead
            let runs = Int((limit * Self.longestScreeningShare / run).rounded(.down))
            rounds = [max(0, min(candidates, runs - 2))]
        }
        return (rounds, min(max(seconds(), shortest), max(3, shortest)))
    }

    /// Plans the confirmation, or returns `nil` if the time is too short for one candidate.
    ///
    /// The plan drops candidates if necessary, to make the runs long enough and to add blocks
    /// beyond the minimum. A single atypical block then does not determine the verdict.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - tests: A function that returns the number of tests for Holm's correction, given the
    ///     number of candidates.
    ///   - remaining: The remaining time, in seconds.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    ///   - improvements: The improvements of the candidates in the screening, as factors, or 1 for
    ///     a candidate that may make something worse.
    /// - Returns: The numbers of candidates and blocks, and the length of each run's measured
    ///   part in seconds.
    func confirmation(
        candidates: Int,
        tests: (Int) -> Int,
        remaining: Double,
        overhead: Double,
        improvements: [Double] = []
    ) -> (candidates: Int, blocks: Int, seconds: Double)? {
        func seconds(_ count: Int, blocks: Int) -> Double {
            // Without a spare block, one delay costs the verdict.
            let hasSpare = blocks > BlockCount.minimum(tests: tests(count))
            let share = hasSpare ? Self.plannedShare : Self.plannedShareWithoutSpare
            // The current arm runs twice in each block.
            let run = remaining * share / Double((count + 2) * blocks)
            return measured(phases: run - overhead)
        }
        for (spare, isSufficient) in [(2, true), (1, true), (0, true), (0, false)] {
            for count in stride(from: candidates, to: 0, by: -1) {
                // Long runs and many blocks show small effects. Large ones do not need them.
                let smallest = improvements.prefix(count).min() ?? 1
                let isObvious = smallest >= Self.obviousFactor
                let longest = isObvious ? Self.obviousSeconds : 5
                // A mean of few accesses shows large effects, too.
                let factor = isObvious ? Self.medianFactor : 1
                let needed = max(self.needed / factor, shortest)
                let sufficient = max(needed, Self.sufficientSeconds)
                let length = isSufficient ? sufficient : needed
                let minimumBlocks = BlockCount.minimum(tests: tests(count))
                guard seconds(count, blocks: minimumBlocks + spare) >= length else { continue }
                let more =
                    isObvious
                    ? nil
                    : [6, 4, 2, 1].first {
                        $0 > spare && seconds(count, blocks: minimumBlocks + $0) >= length
                    }
                let blocks = minimumBlocks + (more ?? spare)
                return (
                    count, blocks, min(seconds(count, blocks: blocks), max(longest, sufficient))
                )
            }
        }
        let minimumBlocks = BlockCount.minimum(tests: tests(1))
        guard candidates > 0, seconds(1, blocks: minimumBlocks) >= shortest else { return nil }
        return (1, minimumBlocks, seconds(1, blocks: minimumBlocks))
    }

    /// Returns the time limit with which a search would also screen and confirm candidates that it
    /// left out, in seconds.
    ///
    /// - Parameters:
    ///   - spent: The time that the search has taken.
    ///   - candidates: The number of candidates to screen.
    ///   - tests: The number of tests for the confirmation of one candidate.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    /// - Returns: The limit.
    func neededLimit(spent: Double, candidates: Int, tests: Int, overhead: Double) -> Double {
        let run = phases(measured: max(needed, shortest)) + overhead
        let screening = candidates > 0 ? run * Double(candidates + 2) : 0
        // The current arm runs twice in each block.
        let blocks = BlockCount.minimum(tests: tests)
        let confirmation = run * Double(3 * blocks) / Self.plannedShareWithoutSpare
        return max(
            spent + screening + confirmation,
            screening / Self.longestScreeningShare
        )
    }
}
