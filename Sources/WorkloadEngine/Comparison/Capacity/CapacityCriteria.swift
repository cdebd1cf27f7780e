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
        /// Nothing was missed, but a percentile has too few samples; which.
        case undecided(String)
        /// The generator was the bottleneck: nothing is known.
        case invalid(String)
    }

    /// What did not hold in a run, as far as runs at other rates can be compared with it.
    struct Miss: Sendable, Equatable {
        /// What did not hold, for people.
        var reason: String
        /// What was compared, such as `ui.response p(99)`; nil where no upper limit was missed.
        var measure: String?
        /// What was observed of it.
        var observed = 0.0
    }

    /// What a run says about its rate.
    public func verdict(of result: ArmResult) -> Verdict {
        let problem: Verdict
        if let miss = miss(in: result) {
            problem = .missed(miss.reason)
        } else if let open = thresholds.lazy.compactMap({ lack(in: result, $0) }).first {
            problem = .undecided(open)
        } else {
            return .met
        }
        // What was sustained was sustained; what was not may be the generator's fault.
        if let reason = result.invalidReason, !result.valid { return .invalid(reason) }
        return problem
    }

    /// What did not hold; nil when nothing was missed.
    func miss(in result: ArmResult) -> Miss? {
        if let failure = result.failures?.first {
            let isTotal = result.clients.contains { clients.contains($0.key) && $0.value.isLost }
            return Miss(reason: failure, measure: isTotal ? "failures" : nil, observed: 1)
        }
        for name in clients {
            guard let client = result.clients[name] else { continue }
            let left = client.skipped + client.unfinished
            // The accesses that were at work at the end are nobody's fault.
            guard client.offered > 0, left > 2 else { continue }
            let share = Double(left) / Double(client.offered)
            if share > mostLeft {
                return Miss(
                    reason: "\(HumanUnits.percent(share)) of \(name)'s accesses were not done"
                )
            }
        }
        return thresholds.lazy.compactMap { miss(in: result, $0) }.first
    }

    private func miss(in result: ArmResult, _ threshold: Threshold) -> Miss? {
        guard result.check(threshold).passed == false else { return nil }
        var observed = result.value(of: threshold.metric, threshold.aggregate)
        var taken = threshold.aggregate
        if observed == nil, threshold.percentile != nil {
            // A lower percentile is beyond the limit: the highest one that is known says most.
            for percentile in MetricCatalog.percentiles.reversed() where observed == nil {
                taken = "p(\(percentile))"
                observed = result.value(of: threshold.metric, taken)
            }
        }
        guard let observed else { return Miss(reason: "\(threshold.metric) had no samples") }
        let isTime = ["response", "wait", "service", "lag"].contains {
            threshold.metric.hasSuffix(".\($0)")
        }
        let value =
            isTime && threshold.aggregate != "count"
            ? HumanUnits.time(UInt64(max(0, observed))) : HumanUnits.unitless(observed)
        return Miss(
            reason: "\(threshold.metric) \(taken) was \(value)",
            measure: threshold.comparison.hasPrefix("<") ? "\(threshold.metric) \(taken)" : nil,
            observed: observed
        )
    }

    /// What a threshold lacks to be decided; nil when it is decided.
    private func lack(in result: ArmResult, _ threshold: Threshold) -> String? {
        guard result.check(threshold).undecided == true else { return nil }
        let count = UInt64(result.value(of: threshold.metric, "count") ?? 0)
        let needed = threshold.neededSamples.map { " of \(HumanUnits.count($0))" } ?? ""
        return "\(threshold.metric) \(threshold.aggregate) has too few samples: "
            + HumanUnits.count(count) + needed
    }

    /// How many samples of a client its percentiles take; 0 for a client without any.
    func neededSamples(of client: String) -> UInt64 {
        thresholds.filter { $0.metric.hasPrefix(client + ".") }.compactMap(\.neededSamples).max()
            ?? 0
    }

    /// The criteria in words, one a line.
    public var lines: [String] {
        thresholds.map { "\($0.metric) \($0.expression)" }
            + ["at most \(HumanUnits.percent(mostLeft)) of the arrivals skipped or unfinished"]
    }
}

extension ClientResult {
    /// Whether accesses ended, and none of them well.
    fileprivate var isLost: Bool { completed == 0 && errorCount > 0 }
}

extension HumanUnits {
    /// A number of no unit that needs to be told.
    static func unitless(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15
            ? String(Int64(value)) : String(value.rounded(toDigits: 4))
    }
}
