import Scenarios
import Text
import WorkloadEngine

/// The criteria for a sustained rate.
package struct CapacityCriteria: Sendable, Equatable {
    /// The limits on metrics.
    package var thresholds: [Threshold]
    /// The clients whose arrival rates the search varies.
    package var clients: [String]
    /// The maximum share of a client's arrivals, from 0 to 1, that may be skipped or unfinished.
    package var incompleteLimit: Double

    /// The default ``incompleteLimit``, which allows for accesses in progress at the end of a run.
    package static let defaultIncompleteLimit = 0.02

    /// Creates criteria.
    package init(
        thresholds: [Threshold],
        clients: [String],
        incompleteLimit: Double = defaultIncompleteLimit
    ) {
        self.thresholds = thresholds
        self.clients = clients
        self.incompleteLimit = incompleteLimit
    }

    /// Creates the criteria for a scenario's load.
    ///
    /// The criteria are the scenario's thresholds, the additional thresholds, and a limit on the
    /// 99th percentile of each client without a latency threshold.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - load: The load that the search varies.
    ///   - additional: Additional thresholds.
    ///   - limit: The limit for clients without a latency threshold.
    package init(
        _ scenario: Scenario,
        _ load: OfferedLoad,
        additional: [Threshold] = [],
        limit: Duration
    ) {
        var thresholds = scenario.thresholds + additional
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
                    expression: "p(99) < \(ReportUnits.time(limit.wholeNanoseconds))",
                    aggregate: "p(99)",
                    comparison: "<",
                    limit: Double(limit.nanoseconds)
                )
            )
        }
        self.init(thresholds: thresholds, clients: names)
    }

    /// The verdict on whether a run sustained its rate.
    package enum Verdict: Sendable, Equatable {
        /// The run met all criteria.
        case met
        /// The run missed the described criterion.
        case missed(String)
        /// The run missed no criterion, but the described percentile has too few samples.
        case undecided(String)
        /// The run is inconclusive, because the generator was the bottleneck for the given
        /// reason.
        case invalid(String)
    }

    struct Miss: Sendable, Equatable {
        var reason: String
        /// The measure, such as `ui.response p(99)`, or `failures` if a client completed no access.
        ///
        /// The value is `nil` if the criterion is not an upper limit.
        var measure: String?
        var observed = 0.0
    }

    /// Returns the verdict on a run.
    package func verdict(of result: ArmResult) -> Verdict {
        let problem: Verdict
        if let miss = miss(in: result) {
            problem = .missed(miss.reason)
        } else if let open = thresholds.lazy.compactMap({ shortage(in: result, $0) }).first {
            problem = .undecided(open)
        } else {
            return .met
        }
        // A slow generator can cause a run to miss a criterion, but not to meet one.
        if let reason = result.invalidReason, !result.valid { return .invalid(reason) }
        return problem
    }

    func miss(in result: ArmResult) -> Miss? {
        if let failure = result.failures?.first {
            let hasFailingClient = result.clients.contains {
                clients.contains($0.key) && $0.value.hasOnlyErrors
            }
            return Miss(reason: failure, measure: hasFailingClient ? "failures" : nil, observed: 1)
        }
        for name in clients {
            guard let client = result.clients[name] else { continue }
            let incompleteCount = client.skipped + client.unfinished
            // One or two accesses may be in progress when the run ends.
            guard client.offered > 0, incompleteCount > 2 else { continue }
            let share = Double(incompleteCount) / Double(client.offered)
            if share > incompleteLimit {
                return Miss(
                    reason: "\(ReportUnits.percent(share)) of the accesses of \(name) were not "
                        + "completed"
                )
            }
        }
        return thresholds.lazy.compactMap { miss(in: result, $0) }.first
    }

    /// Returns the thresholds that a run missed, in order.
    func missedThresholds(in result: ArmResult) -> [Miss] {
        thresholds.compactMap { miss(in: result, $0) }
    }

    private func miss(in result: ArmResult, _ threshold: Threshold) -> Miss? {
        guard result.check(threshold).passed == false else { return nil }
        var observed = result.value(of: threshold.metric, threshold.aggregate)
        var aggregate = threshold.aggregate
        if observed == nil, threshold.percentile != nil {
            // If a lower percentile exceeds the limit, report the highest known percentile.
            for percentile in MetricCatalog.percentiles.reversed() where observed == nil {
                aggregate = "p(\(percentile))"
                observed = result.value(of: threshold.metric, aggregate)
            }
        }
        guard let observed else { return Miss(reason: "\(threshold.metric) had no samples") }
        let value =
            MetricCatalog.unit(of: threshold.metric, aggregate)?.text(observed)
            ?? ReportUnits.unitless(observed)
        return Miss(
            reason: "\(threshold.metric) \(aggregate) was \(value)",
            measure: threshold.comparison.hasPrefix("<") ? "\(threshold.metric) \(aggregate)" : nil,
            observed: observed
        )
    }

    private func shortage(in result: ArmResult, _ threshold: Threshold) -> String? {
        guard result.check(threshold).undecided == true else { return nil }
        let count = UInt64(result.value(of: threshold.metric, "count") ?? 0)
        let needed = threshold.neededSamples.map { " of \(HumanUnits.exact($0))" } ?? ""
        return "\(threshold.metric) \(threshold.aggregate) has too few samples: "
            + HumanUnits.exact(count) + needed
    }

    /// Returns the number of samples that a client's percentile criteria need, or 0 if there are no
    /// such criteria.
    func neededSamples(of client: String) -> UInt64 {
        thresholds.filter { $0.metric.hasPrefix(client + ".") }.compactMap(\.neededSamples).max()
            ?? 0
    }

    /// The descriptions of the criteria.
    package var lines: [String] {
        let share = ReportUnits.percent(incompleteLimit)
        return thresholds.map { "\($0.metric) \($0.expression)" }
            + ["at most \(share) of the arrivals skipped or unfinished"]
    }
}

extension ClientResult {
    fileprivate var hasOnlyErrors: Bool { completed == 0 && errorCount > 0 }
}

/// A type that determines whether every rate misses a limit.
///
/// Every rate misses the limit if two runs, one at half the rate of the other, miss it by about the
/// same amount, and if accesses are too rare to wait for one another. Accesses that wait for an
/// unchanged client accumulate; then, runs at a quarter of the rate must miss the limit by about
/// the same amount, and complete all accesses.
struct LatencyFloor {
    private struct Entry {
        var rate: Double
        var miss: CapacityCriteria.Miss
        /// The mean number of concurrent accesses.
        var inFlight: Double
        /// Whether the run completed its accesses at the rate at which they arrived.
        var keepsUp: Bool
        var blame: [String]
    }

    /// Whether a run met all criteria, which proves that a sustained rate exists.
    var hasMetCriteria = false
    private var entries: [Entry] = []

    /// The minimum ratio of two rates for a comparison of their runs.
    ///
    /// The ratio is slightly below 2 to allow for the rounding of halved rates.
    private static let minimumRateRatio = 1.9
    /// The minimum ratio of the value at the lower rate to the value at the higher rate for the
    /// two values to be considered equal.
    private static let minimumEqualRatio = 0.9
    /// The mean number of concurrent accesses up to which accesses rarely wait for one another.
    private static let maximumConcurrency = 0.5
    /// The minimum ratio of two rates, and of the values at them, for accesses that wait for an
    /// unchanged client.
    private static let minimumWideRateRatio = 3.8
    private static let minimumWideEqualRatio = 0.7
    /// The minimum share of arrivals that a run completes if it keeps up with them.
    private static let completedShare = 0.95

    mutating func add(
        _ miss: CapacityCriteria.Miss,
        at rate: Double,
        of run: ArmResult,
        clients: [String]
    ) {
        let totalResponseTime = clients.reduce(0.0) { sum, name in
            let response = run.clients[name]?.response
            return sum + Double(response?.count ?? 0) * Double(response?.mean ?? 0)
        }
        let client = miss.measure?.split(separator: ".").first.map(String.init) ?? ""
        entries.append(
            Entry(
                rate: rate,
                miss: miss,
                inFlight: run.duration > 0 ? totalResponseTime / (run.duration * 1e9) : .infinity,
                keepsUp: clients.allSatisfy { name in
                    guard let client = run.clients[name] else { return false }
                    return Double(client.completed)
                        >= Self.completedShare * Double(client.offered)
                },
                blame: run.blame?[client]?.sentences(of: client) ?? []
            )
        )
    }

    /// The reason that every rate misses the limit, if this is known.
    var cause: String? {
        guard !hasMetCriteria, let rate = entries.last?.rate else { return nil }
        return entries.lazy.filter { $0.rate == rate }.compactMap(cause).first
    }

    private func cause(_ last: Entry) -> String? {
        guard let measure = last.miss.measure else { return nil }
        // With fewer samples, a lower percentile shows the miss, which is evidence all the more.
        let metric = measure.prefix { $0 != " " }
        func entry(_ rateRatio: Double, equalRatio: Double) -> Entry? {
            entries.first { entry in
                entry.miss.measure?.prefix { $0 != " " } == metric
                    && entry.rate >= last.rate * rateRatio
                    && last.miss.observed >= entry.miss.observed * equalRatio
            }
        }
        let entryAtHigherRate =
            last.inFlight <= Self.maximumConcurrency
            ? entry(Self.minimumRateRatio, equalRatio: Self.minimumEqualRatio)
            : last.keepsUp
                ? entry(Self.minimumWideRateRatio, equalRatio: Self.minimumWideEqualRatio) : nil
        guard let entryAtHigherRate else { return nil }
        let rates =
            "at \(ReportUnits.rate(last.rate)), about the same as at "
            + ReportUnits.rate(entryAtHigherRate.rate)
        let blame = last.blame.map { String($0.drop { $0 == " " }) }.joined(separator: "; ")
        return "\(last.miss.reason) \(rates)" + (blame.isEmpty ? "" : " (\(blame))")
    }
}
