/// The command's exit status.
public enum ExitStatus: Int32, Sendable {
    /// All checks passed.
    case passed = 0
    /// The run failed.
    case failed = 1
    /// A comparison found a regression.
    case regression = 2
    /// A threshold was missed.
    case thresholdMissed = 3
    /// An invariant was violated.
    case invariantViolated = 4
    /// The load generator was the bottleneck.
    case invalid = 5
    /// A threshold is undecided because there are too few samples.
    case undecided = 6
    /// The replay of a capture differs from the captured load.
    case unfaithful = 7
    /// The run was stopped and a partial result was written.
    case interrupted = 130
}

extension ArmResult {
    /// The run's verdict.
    ///
    /// Failures come first, because they explain other problems. A run that was stopped early has
    /// no other verdict, unless a missed threshold ended the run. Violated invariants count even
    /// in an invalid run. Thresholds come last, because they are meaningless in an invalid run.
    public var exitStatus: ExitStatus {
        if failures?.isEmpty == false { return .failed }
        if partial, aborted == nil { return .interrupted }
        if invariants.contains(where: { $0.passed == false }) { return .invariantViolated }
        if !valid { return .invalid }
        if aborted != nil || thresholds.contains(where: { $0.passed == false }) {
            return .thresholdMissed
        }
        if thresholds.contains(where: { $0.undecided == true }) { return .undecided }
        return .passed
    }
}

extension RunResult {
    /// The most severe verdict of all runs.
    public var exitStatus: ExitStatus {
        let order: [ExitStatus] = [
            .interrupted, .failed, .invariantViolated, .invalid, .thresholdMissed,
            .undecided,
        ]
        let found = runs.map(\.exitStatus) + (failures?.isEmpty == false ? [.failed] : [])
        return order.first { found.contains($0) } ?? .passed
    }
}
