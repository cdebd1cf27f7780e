enum AdviceSchedule {
    static let minimumCandidates = 4
    private static let maximumRounds = 3
    private static let minimumSeconds = 0.3
    /// The length of a measured part, in seconds, beyond which longer runs hardly reduce the noise.
    private static let sufficientSeconds = 0.35
    /// The length of a run's phases, including the warm-up, as a multiple of its measured part.
    private static let phaseLengthRatio = 1.5

    private static let screeningShare = 0.3
    /// The planned share of the remaining time for a confirmation.
    ///
    /// The rest is a reserve for delays caused by other work on the machine. If time runs out
    /// before the last block, the completed blocks may be too few for a verdict.
    private static let plannedShare = 0.9

    /// Returns the length of the measured part of the current arm's run, in seconds.
    static func baselineSeconds(within limit: Double) -> Double {
        min(max(limit * 0.05, 0.7), 5)
    }

    /// Returns the length of a measured part, in seconds, that provides enough samples for the
    /// median of every primary latency.
    ///
    /// `baseline` is a run of the current arm.
    static func neededSeconds(for metrics: [ComparisonMetric], in baseline: ArmResult) -> Double {
        metrics.reduce(minimumSeconds) { longest, metric in
            var metric = metric
            while let lower = metric.lowerPercentile { metric = lower }
            guard metric.percentile != nil, baseline.duration > 0,
                let client = baseline.clients[metric.owner], client.completed > 0
            else { return longest }
            let rate = Double(client.completed) / baseline.duration
            // The number of arrivals is random. If its mean is twice the required number, few runs
            // have too few arrivals.
            return max(longest, 2 * Double(metric.neededAccesses) / rate)
        }
    }

    /// Plans a screening.
    ///
    /// The first round runs all candidates. Each later round runs the better half of the previous
    /// round.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - limit: The length of the whole search, in seconds.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    ///   - needed: The length of a measured part that provides enough samples, in seconds.
    /// - Returns: The number of candidates in each round, and the length of each run's measured
    ///   part in seconds.
    static func screening(
        candidates: Int,
        within limit: Double,
        overhead: Double,
        needed: Double
    ) -> (rounds: [Int], seconds: Double) {
        var rounds = [candidates]
        while rounds.count < maximumRounds, let last = rounds.last {
            rounds.append(min(last, max((last + 1) / 2, minimumCandidates)))
        }
        // The current arm also runs once in each round.
        func seconds() -> Double {
            let runs = rounds.reduce(0) { $0 + $1 + 1 }
            return (limit * screeningShare / Double(runs) - overhead) / phaseLengthRatio
        }
        while rounds.count > 1, seconds() < max(needed, sufficientSeconds) { rounds.removeLast() }
        return (rounds, min(max(seconds(), minimumSeconds), 3))
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
    ///   - needed: The length of a measured part that provides enough samples, in seconds.
    /// - Returns: The numbers of candidates and blocks, and the length of each run's measured
    ///   part in seconds.
    static func confirmation(
        candidates: Int,
        tests: (Int) -> Int,
        remaining: Double,
        overhead: Double,
        needed: Double
    ) -> (candidates: Int, blocks: Int, seconds: Double)? {
        func seconds(_ count: Int, _ blocks: Int) -> Double {
            // The current arm runs twice in each block.
            (remaining * plannedShare / Double((count + 2) * blocks) - overhead) / phaseLengthRatio
        }
        let sufficient = max(needed, sufficientSeconds)
        for (spare, length) in [(2, sufficient), (0, sufficient), (0, needed)] {
            for count in stride(from: candidates, to: 0, by: -1) {
                let minimumBlocks = BlockCount.minimum(tests: tests(count))
                guard seconds(count, minimumBlocks + spare) >= length else { continue }
                let more = [6, 4, 2, 1].first {
                    $0 > spare && seconds(count, minimumBlocks + $0) >= length
                }
                let blocks = minimumBlocks + (more ?? spare)
                return (count, blocks, min(seconds(count, blocks), 5))
            }
        }
        let minimumBlocks = BlockCount.minimum(tests: tests(1))
        guard candidates > 0, seconds(1, minimumBlocks) >= minimumSeconds else { return nil }
        return (1, minimumBlocks, seconds(1, minimumBlocks))
    }
}
