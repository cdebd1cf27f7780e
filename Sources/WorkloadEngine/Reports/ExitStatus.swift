/// What the command's exit status says about its runs.
public enum ExitStatus: Int32, Sendable {
    /// Everything passed.
    case passed = 0
    /// The run failed.
    case failed = 1
    /// A comparison found a regression.
    case regression = 2
    /// A threshold was missed.
    case thresholdMissed = 3
    /// An invariant was violated.
    case invariantViolated = 4
    /// The generator was the bottleneck.
    case invalid = 5
    /// A threshold has too few samples to be decided.
    case undecided = 6
    /// Somebody stopped the run; the partial result is written.
    case interrupted = 130
}

extension ArmResult {
    /// The run's verdict.
    ///
    /// A failure is the cause of whatever else went wrong, and a violated invariant is true of any
    /// run. The thresholds of an invalid or a partial run say nothing, so they come last.
    public var exitStatus: ExitStatus {
        if failures?.isEmpty == false { return .failed }
        if partial { return .interrupted }
        if invariants.contains(where: { $0.passed == false }) { return .invariantViolated }
        if !valid { return .invalid }
        if thresholds.contains(where: { $0.passed == false }) { return .thresholdMissed }
        if thresholds.contains(where: { $0.undecided == true }) { return .undecided }
        return .passed
    }
}

extension RunResult {
    /// The worst verdict of its runs.
    public var exitStatus: ExitStatus {
        let order: [ExitStatus] = [
            .interrupted, .failed, .invariantViolated, .invalid, .thresholdMissed,
            .undecided,
        ]
        let found = runs.map(\.exitStatus) + (failures?.isEmpty == false ? [.failed] : [])
        return order.first { found.contains($0) } ?? .passed
    }
}
