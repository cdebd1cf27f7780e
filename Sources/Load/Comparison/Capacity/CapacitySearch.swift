import Foundation

/// Requests trials to find the highest rate at which runs pass.
///
/// The search doubles the rate until a trial fails. It then repeatedly tries the geometric mean of
/// the highest passing rate and the lowest failing rate. Finally, it requests longer runs on both
/// sides of the limit. If trials at the same rate have different outcomes, long runs override short
/// runs.
package struct CapacitySearch: Sendable {
    /// The next trial.
    package enum Step: Sendable, Equatable {
        /// A short run at a rate.
        case probe(Double)
        /// A long run at the found rate, to confirm that the rate passes.
        case confirm(Double)
        /// A long run just above the found rate, to confirm that the rate fails.
        case refute(Double)
        /// The search is complete.
        case done(Outcome)
    }

    /// The outcome of a trial.
    package enum Answer: Sendable, Equatable {
        /// The trial passed.
        case passed
        /// The trial missed no criterion but had too few samples.
        case undecided
        /// The trial failed.
        case failed
        /// The generator could not produce the rate.
        case unknown
    }

    /// The result of a search.
    package struct Outcome: Sendable, Equatable {
        /// The highest rate that passed, in accesses/s, or `nil` if none passed.
        package var rate: Double?
        /// Whether a long run passed at the rate.
        package var isConfirmed: Bool
        /// The lowest rate above ``rate`` at which a run failed, if any.
        package var failsAt: Double?
        /// Whether a long run failed at ``failsAt``.
        package var isRefuted: Bool
        /// Whether the rate is a lower bound, because the search ended at the generator's limit or
        /// at the highest rate to try.
        package var isLowerBound: Bool
    }

    /// The relative precision of the limit, such as 0.05.
    package let precision: Double
    private let floor: Double
    private let ceiling: Double
    private let maximumLongRuns: Int
    private var best: Double?
    private var worst: Double?
    private var isWorstUnknown = false
    /// Whether the trial at ``best`` missed no criterion but had too few samples.
    private var isBestUndecided = false
    /// Whether long runs halve the rate, because short runs collect too few samples.
    private var halvesWithLongRuns = false
    private var confirmed: Double?
    private var refuted: Double?
    private var longRuns = 0
    private var pending: Step

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - start: The rate of the first trial, in accesses/s.
    ///   - precision: The relative precision of the limit.
    ///   - floor: The lowest rate to try.
    ///   - ceiling: The highest rate to try.
    ///   - maximumLongRuns: The maximum number of long runs.
    package init(
        start: Double,
        precision: Double = 0.05,
        floor: Double = 0.5,
        ceiling: Double = 1e6,
        maximumLongRuns: Int = 10
    ) {
        self.precision = max(precision, 0.001)
        self.floor = floor
        self.ceiling = ceiling
        self.maximumLongRuns = maximumLongRuns
        pending = .probe(min(max(start, floor), ceiling))
    }

    /// The trial to run next.
    package var step: Step { pending }

    /// Records the outcome of ``step``.
    package mutating func record(_ answer: Answer) {
        switch pending {
        case .probe(let rate):
            note(rate, answer: answer)
        case .confirm(let rate), .refute(let rate):
            noteLongRun(rate, answer: answer)
        case .done:
            return
        }
        pending = next()
    }

    private mutating func noteLongRun(_ rate: Double, answer: Answer) {
        longRuns += 1
        if answer == .failed, isBestUndecided { halvesWithLongRuns = true }
        if answer == .passed { confirmed = max(confirmed ?? 0, rate) }
        if answer == .failed { refuted = min(refuted ?? .infinity, rate) }
        note(rate, answer: answer)
    }

    private mutating func note(_ rate: Double, answer: Answer) {
        switch answer {
        case .passed:
            if rate >= best ?? 0 { isBestUndecided = false }
            best = max(best ?? 0, rate)
            // A passing run overrides failures at this rate and lower rates.
            if let worst, worst <= rate { self.worst = nil }
        case .undecided:
            guard rate > best ?? 0 else { break }
            best = rate
            isBestUndecided = true
        case .failed, .unknown:
            if rate <= worst ?? .infinity {
                worst = rate
                isWorstUnknown = answer == .unknown
            }
            if let best, best >= rate {
                self.best = confirmed.flatMap { $0 < rate ? $0 : nil }
                isBestUndecided = false
            }
            if let confirmed, confirmed >= rate { self.confirmed = nil }
        }
    }

    private func next() -> Step {
        let step = 1 + precision
        guard longRuns < maximumLongRuns else { return .done(outcome) }
        guard let best else {
            guard let worst, worst > floor else { return .done(outcome) }
            guard longRuns > 0 else { return .probe(max(floor, worst / 2)) }
            if halvesWithLongRuns { return .confirm(max(floor, worst / 2)) }
            // The limit is probably just below the first failed long run. Take larger steps after
            // more failures.
            let steps = Double(1 << min(longRuns - 1, 5))
            return .confirm(max(floor, worst / pow(step, steps)))
        }
        guard let worst else {
            if best >= ceiling { return confirmed == nil ? .confirm(best) : .done(outcome) }
            return longRuns > 0
                ? .refute(min(ceiling, best * step)) : .probe(min(ceiling, best * 2))
        }
        // Add half a step so that rounding does not cause another trial.
        let isNear = worst / best <= step * (1 + precision / 2)
        if !isNear, longRuns == 0 { return .probe((best * worst).squareRoot()) }
        if confirmed != best { return .confirm(best) }
        if !isNear { return .confirm((best * worst).squareRoot()) }
        if refuted == nil, !isWorstUnknown { return .refute(min(ceiling, best * step)) }
        return .done(outcome)
    }

    /// The result so far.
    package var outcome: Outcome {
        Outcome(
            rate: confirmed ?? (isBestUndecided ? nil : best),
            isConfirmed: confirmed != nil,
            failsAt: isWorstUnknown ? nil : refuted ?? worst,
            isRefuted: refuted != nil,
            isLowerBound: best != nil && !(isBestUndecided && confirmed == nil)
                && (worst == nil || isWorstUnknown)
        )
    }
}

/// A search that finds the smallest number of readers that passes.
///
/// The search assumes that additional readers never worsen the outcome.
package struct ReaderSearch: Sendable {
    /// The candidate numbers of readers, in ascending order.
    package let candidates: [Int]
    /// The index of the smallest candidate that may still pass.
    private var low = 0
    /// The index of the smallest candidate known to pass, or the number of candidates if none is
    /// known to pass.
    private var high: Int
    private var isConfirmed = false

    /// Creates a search among the given numbers of readers.
    package init(_ candidates: [Int]) {
        self.candidates = Set(candidates).sorted()
        high = self.candidates.count
    }

    /// The number of readers to try next and whether to use a long run, or `nil` at the end.
    package var step: (readers: Int, isLong: Bool)? {
        if low < high {
            // Try the largest candidate first. If it fails, no candidate passes.
            let index = high == candidates.count ? candidates.count - 1 : (low + high) / 2
            return (candidates[index], false)
        }
        guard high < candidates.count, !isConfirmed else { return nil }
        return (candidates[high], true)
    }

    /// Records whether the number of readers in ``step`` passed.
    package mutating func record(_ passed: Bool) {
        guard let step, let index = candidates.firstIndex(of: step.readers) else { return }
        if step.isLong {
            isConfirmed = passed
            if !passed {
                low = index + 1
                high = min(low, candidates.count)
            }
        } else if passed {
            high = index
        } else {
            low = index + 1
            high = max(high, low)
        }
    }

    /// The smallest number of readers that passed a long run, if any.
    package var smallest: Int? {
        isConfirmed && high < candidates.count ? candidates[high] : nil
    }
}
