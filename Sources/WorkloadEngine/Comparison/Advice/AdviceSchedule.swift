/// Divides the time of a search among its steps.
enum AdviceSchedule {
    /// The number of candidates that every round of the screening keeps.
    static let leastScreened = 4
    /// The largest number of rounds of the screening.
    private static let mostRounds = 3
    /// The shortest measured part of a run, in seconds.
    private static let leastSeconds = 0.3
    /// The length of a measured part beyond which its noise hardly decreases, in seconds.
    private static let comfortableSeconds = 0.35
    /// The length of a run's phases as a multiple of its measured part: the warm-up takes half as
    /// long.
    private static let phases = 1.5

    /// The share of the whole time for the screening.
    private static let screeningShare = 0.3
    /// The share of the remaining time that a confirmation plans to use: other work on the machine
    /// may delay the runs, and a missing block can make all others useless.
    private static let plannedShare = 0.9

    /// Returns the length of the measured part of the present arm's run, in seconds.
    static func baseline(within limit: Double) -> Double { min(max(limit * 0.05, 0.7), 5) }

    /// Returns the length of a measured part in which the median of every deciding latency has
    /// enough samples, in seconds.
    ///
    /// - Parameters:
    ///   - metrics: The deciding metrics.
    ///   - baseline: A run of the present arm.
    /// - Returns: The length, at least that of the shortest run.
    static func neededSeconds(for metrics: [ComparisonMetric], in baseline: ArmResult) -> Double {
        metrics.reduce(leastSeconds) { longest, metric in
            var metric = metric
            while let lower = metric.lowerPercentile { metric = lower }
            guard metric.percentile != nil, baseline.duration > 0,
                let client = baseline.clients[metric.owner], client.completed > 0
            else { return longest }
            let rate = Double(client.completed) / baseline.duration
            // Random arrivals: with twice the number on average, hardly any run has too few.
            return max(longest, 2 * Double(metric.neededAccesses) / rate)
        }
    }

    /// Plans the screening: all candidates run in the first round, and the better half of a round
    /// in the next one.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - limit: The length of the search, in seconds.
    ///   - overhead: The overhead of a run beyond its phases, in seconds.
    ///   - needed: The length of a measured part with enough samples, in seconds.
    /// - Returns: The number of candidates in each round, and the length of each run's measured
    ///   part in seconds.
    static func screening(
        candidates: Int,
        within limit: Double,
        overhead: Double,
        needed: Double
    ) -> (rounds: [Int], seconds: Double) {
        var rounds = [candidates]
        while rounds.count < mostRounds, let last = rounds.last {
            rounds.append(min(last, max((last + 1) / 2, leastScreened)))
        }
        // The present arm also runs once in each round.
        func seconds() -> Double {
            let runs = rounds.reduce(0) { $0 + $1 + 1 }
            return (limit * screeningShare / Double(runs) - overhead) / phases
        }
        while rounds.count > 1, seconds() < max(needed, comfortableSeconds) { rounds.removeLast() }
        return (rounds, min(max(seconds(), leastSeconds), 3))
    }

    /// Plans the confirmation; returns nil if the time is too short for one candidate.
    ///
    /// Fewer candidates get longer runs, and more blocks than the smallest number, so that a single
    /// contrary block does not decide.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - tests: Returns the number of tests for a number of candidates, for Holm's correction.
    ///   - left: The remaining time, in seconds.
    ///   - overhead: The overhead of a run beyond its phases, in seconds.
    ///   - needed: The length of a measured part with enough samples, in seconds.
    /// - Returns: The number of candidates and of blocks, and the length of each run's measured
    ///   part in seconds.
    static func confirmation(
        candidates: Int,
        tests: (Int) -> Int,
        left: Double,
        overhead: Double,
        needed: Double
    ) -> (candidates: Int, blocks: Int, seconds: Double)? {
        func seconds(_ count: Int, _ blocks: Int) -> Double {
            // The present arm runs twice in each block.
            (left * plannedShare / Double((count + 2) * blocks) - overhead) / phases
        }
        let comfortable = max(needed, comfortableSeconds)
        for (spare, length) in [(2, comfortable), (0, comfortable), (0, needed)] {
            for count in stride(from: candidates, to: 0, by: -1) {
                let least = BlockCount.minimum(tests: tests(count))
                guard seconds(count, least + spare) >= length else { continue }
                let more = [6, 4, 2, 1].first {
                    $0 > spare && seconds(count, least + $0) >= length
                }
                let blocks = least + (more ?? spare)
                return (count, blocks, min(seconds(count, blocks), 5))
            }
        }
        let least = BlockCount.minimum(tests: tests(1))
        guard candidates > 0, seconds(1, least) >= leastSeconds else { return nil }
        return (1, least, seconds(1, least))
    }
}
