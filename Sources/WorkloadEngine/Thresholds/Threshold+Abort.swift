extension Threshold {
    private static let increasingAggregates = ["count", "max"]

    /// The reason a miss of this threshold cannot end a run early, if any.
    var abortProblem: String? {
        let problem = "'\(expression)' of '\(metric)' cannot end a run early"
        if aggregate == "final" || metric.hasSuffix(".unfinished") {
            return problem + ": its value is known only at the end; remove 'abort'"
        }
        if Self.increasingAggregates.contains(aggregate), comparison.hasPrefix(">") {
            return problem + ": the value only increases, so the limit may still be met later; "
                + "write '\(aggregate) < …', or remove 'abort'"
        }
        return nil
    }
}
