/// What must hold for a rate to count as sustained.
public struct CapacityCriteria: Sendable, Equatable {
    /// Limits on metrics.
    public var thresholds: [Threshold]
    /// The clients that arrive.
    public var clients: [String]
    /// The largest share of a client's arrivals, in 0…1, that may be skipped or unfinished.
    public var mostLeft: Double

    /// The share that may be left by default: what a run's end cuts off is no failure.
    public static let defaultLeft = 0.02

    /// Creates criteria.
    public init(thresholds: [Threshold], clients: [String], mostLeft: Double = defaultLeft) {
        self.thresholds = thresholds
        self.clients = clients
        self.mostLeft = mostLeft
    }

    /// The criteria for a scenario's load: its own thresholds, those given, and where none of them
    /// limits a latency of a client that arrives, a limit of its 99th percentile.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - load: What of it arrives.
    ///   - further: Thresholds beside the scenario's.
    ///   - limit: The limit for clients without one.
    public init(
        _ scenario: Scenario,
        _ load: OfferedLoad,
        further: [Threshold] = [],
        limit: Duration
    ) {
        var thresholds = scenario.thresholds + further
        let names = load.parts.map(\.client)
        for name in names {
            let isLimited = thresholds.contains { threshold in
                ["response", "wait"].contains {
                    threshold.metric == "\(name).\($0)" && threshold.comparison.hasPrefix("<")
                }
            }
            if isLimited { continue }
            thresholds.append(
                Threshold(
                    metric: "\(name).response",
                    expression: "p(99) < \(HumanUnits.time(limit.wholeNanoseconds))",
                    aggregate: "p(99)",
                    comparison: "<",
                    limit: Double(limit.nanoseconds)
                )
            )
        }
        self.init(thresholds: thresholds, clients: names)
    }

    /// What a run says about its rate.
    public enum Verdict: Sendable, Equatable {
        /// All of it held.
        case met
        /// Something did not; what.
        case missed(String)
        /// The generator was the bottleneck: nothing is known.
        case invalid(String)
    }

    /// What a run says about its rate.
    public func verdict(of result: ArmResult) -> Verdict {
        guard let problem = problem(with: result) else { return .met }
        // What was sustained was sustained; what was not may be the generator's fault.
        if let reason = result.invalidReason, !result.valid { return .invalid(reason) }
        return .missed(problem)
    }

    private func problem(with result: ArmResult) -> String? {
        if let failure = result.failures?.first { return failure }
        for name in clients {
            guard let client = result.clients[name] else { continue }
            let left = client.skipped + client.unfinished
            // The accesses that were at work at the end are nobody's fault.
            guard client.offered > 0, left > 2 else { continue }
            let share = Double(left) / Double(client.offered)
            if share > mostLeft {
                return "\(HumanUnits.percent(share)) of \(name)'s accesses were not done"
            }
        }
        return thresholds.lazy.compactMap { problem(with: result, $0) }.first
    }

    private func problem(with result: ArmResult, _ threshold: Threshold) -> String? {
        if result.check(threshold).passed != false { return nil }
        var observed = result.value(of: threshold.metric, threshold.aggregate)
        var taken = threshold.aggregate
        if observed == nil, threshold.aggregate.hasPrefix("p(") {
            // Too few samples for the percentile: the highest one that is known stands in, since
            // the one that was asked for is not below it.
            for percentile in MetricCatalog.percentiles.reversed() where observed == nil {
                taken = "p(\(percentile))"
                observed = result.value(of: threshold.metric, taken)
            }
            if observed == nil {
                taken = "mean"
                observed = result.value(of: threshold.metric, taken)
            }
            if threshold.isMet(by: observed) { return nil }
        }
        guard let observed else { return "\(threshold.metric) had no samples" }
        let isTime = ["response", "wait", "service", "lag"].contains {
            threshold.metric.hasSuffix(".\($0)")
        }
        let value =
            isTime && threshold.aggregate != "count"
            ? HumanUnits.time(UInt64(max(0, observed))) : HumanUnits.unitless(observed)
        return "\(threshold.metric) \(taken) was \(value)"
    }

    /// The criteria in words, one a line.
    public var lines: [String] {
        thresholds.map { "\($0.metric) \($0.expression)" }
            + ["at most \(HumanUnits.percent(mostLeft)) of the arrivals skipped or unfinished"]
    }
}

extension HumanUnits {
    /// A number of no unit that needs to be told.
    static func unitless(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15
            ? String(Int64(value)) : String(value.rounded(toDigits: 4))
    }
}
