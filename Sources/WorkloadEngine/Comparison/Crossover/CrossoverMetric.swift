import Foundation
import Telemetry
import Units

/// The metric that a map uses to compare two arms, such as `ui.response.p99`.
package struct CrossoverMetric: Sendable, Equatable {
    /// The metric's name in the notation of thresholds, such as `ui.response`.
    package var metric: String
    /// The aggregate in the notation of thresholds, such as `p(99)`.
    package var aggregate: String

    /// Whether larger values are better.
    package var isThroughput: Bool { metric.hasSuffix(".throughput") }
    /// The client's name.
    package var client: String { String(metric.prefix { $0 != "." }) }

    /// The name, such as `ui.response.p99`.
    package var name: String {
        isThroughput
            ? metric : "\(metric).\(aggregate.filter { $0 != "(" && $0 != ")" })"
    }

    /// The minimum latency for ratios, in nanoseconds, which is about the time of two clock reads.
    ///
    /// Without this minimum, a wait of zero would be infinitely better than any other wait.
    private static let shortestLatency = 100.0

    /// Returns the logarithm of the ratio of `b` to `a`.
    func logRatio(_ a: Double, _ b: Double) -> Double {
        let smallest = isThroughput ? Double.leastNormalMagnitude : Self.shortestLatency
        return log(max(b, smallest)) - log(max(a, smallest))
    }

    private static let latencies = ["response", "wait", "service"]
    private static let percentiles = MetricCatalog.percentiles.map { "p\($0)" }

    /// Parses the name of a scenario's metric.
    ///
    /// - Throws: ``RunError``, which suggests the nearest valid name.
    package init(_ name: String, of scenario: Scenario) throws(RunError) {
        let known = scenario.clients.flatMap { client in
            ["\(client.name).throughput"]
                + Self.latencies.flatMap { latency in
                    (Self.percentiles + ["mean", "max"]).map { "\(client.name).\(latency).\($0)" }
                }
        }
        guard known.contains(name) else {
            let nearest = NearestName.of(name, among: known).map { "; did you mean '\($0)'?" }
            throw RunError(
                .scenario,
                "'\(name)' cannot be compared"
                    + (nearest
                        ?? "; write a client, a latency, and an aggregate, such as "
                        + "\(scenario.clients.first?.name ?? "client").response.p99")
            )
        }
        if name.hasSuffix(".throughput") {
            metric = name
            aggregate = "mean"
            return
        }
        // A client's name does not contain a dot, but 99.9 does.
        let parts = name.split(separator: ".", maxSplits: 2).map(String.init)
        metric = parts[0] + "." + parts[1]
        aggregate = parts[2].hasPrefix("p") ? "p(\(parts[2].dropFirst()))" : parts[2]
    }

    /// Creates a scenario's default metric, which is the first primary metric or the response time
    /// of the first client with arrivals.
    package init(defaultOf scenario: Scenario) throws(RunError) {
        if let primary = scenario.primary.first,
            let metric = try? CrossoverMetric(primary, of: scenario)
        {
            self = metric
            return
        }
        let open = scenario.clients.first { if case .open = $0.pace { true } else { false } }
        let client = open ?? scenario.clients.first
        guard let client else { throw RunError(.scenario, "\(scenario.name) has no client") }
        self = try CrossoverMetric("\(client.name).response.p99", of: scenario)
    }

    /// The number of samples that the percentile needs, or 1 for other aggregates.
    var neededSamples: Double {
        guard aggregate.hasPrefix("p("), let percent = Double(aggregate.dropFirst(2).dropLast())
        else { return 1 }
        return Double(Percentile.neededCount(for: percent) ?? 1)
    }

    /// Returns the metric or, if there are too few samples, a replacement.
    ///
    /// The replacement is the highest percentile with enough samples, or the mean if there is none.
    func measurable(with samples: Double) -> CrossoverMetric {
        // Require 30% more samples, because arrivals are uneven and some blocks would otherwise
        // have too few samples.
        var metric = self
        guard samples < neededSamples * 1.3 else { return self }
        for percentile in MetricCatalog.percentiles.reversed() {
            metric.aggregate = "p(\(percentile))"
            if metric.neededSamples < neededSamples, samples >= metric.neededSamples * 1.3 {
                return metric
            }
        }
        metric.aggregate = "mean"
        return metric
    }

    /// The metric, followed by its replacements for runs with too few accesses.
    ///
    /// The replacements are the lower percentiles and the mean.
    var replacements: [CrossoverMetric] {
        guard aggregate.hasPrefix("p(") else { return [self] }
        let lower = MetricCatalog.percentiles.reversed().map { "p(\($0))" }
            .drop { $0 != aggregate }
        return (lower + ["mean"]).map { aggregate in
            var metric = self
            metric.aggregate = aggregate
            return metric
        }
    }

    /// Returns a run's value, or `nil` if there are too few samples.
    func value(in result: ArmResult) -> Double? {
        result.value(of: metric, aggregate).flatMap { $0 > 0 ? $0 : nil }
    }
}
