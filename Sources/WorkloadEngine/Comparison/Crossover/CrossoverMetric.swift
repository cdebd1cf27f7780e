import Foundation

/// What a map compares of two arms, such as `ui.response.p99`.
public struct CrossoverMetric: Sendable, Equatable {
    /// The metric's name as thresholds have it, such as `ui.response`.
    public var metric: String
    /// What is taken of it, as thresholds have it, such as `p(99)`.
    public var aggregate: String

    /// Whether more is better.
    public var isThroughput: Bool { metric.hasSuffix(".throughput") }
    /// The client whose it is.
    public var client: String { String(metric.prefix { $0 != "." }) }

    /// The name, such as `ui.response.p99`.
    public var name: String {
        isThroughput
            ? metric : "\(metric).\(aggregate.filter { $0 != "(" && $0 != ")" })"
    }

    /// What stands for a latency below it, in nanoseconds: about what two looks at a clock take.
    ///
    /// A wait that was none would be infinitely better than any other.
    private static let shortestLatency = 100.0

    /// The logarithm of how many times `a` goes into `b`.
    func logRatio(_ a: Double, _ b: Double) -> Double {
        let smallest = isThroughput ? Double.leastNormalMagnitude : Self.shortestLatency
        return log(max(b, smallest)) - log(max(a, smallest))
    }

    /// The latencies that can be compared.
    private static let latencies = ["response", "wait", "service"]
    private static let percentiles = MetricCatalog.percentiles.map { "p\($0)" }

    /// Reads a name of one of a scenario's metrics.
    ///
    /// - Throws: ``RunError`` with the nearest name there is.
    public init(_ name: String, of scenario: Scenario) throws(RunError) {
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
                        ?? "; write a client, what is taken and which part: "
                        + "\(scenario.clients.first?.name ?? "client").response.p99")
            )
        }
        if name.hasSuffix(".throughput") {
            metric = name
            aggregate = "mean"
            return
        }
        // The client's name has no dot, and 99.9 has one.
        let parts = name.split(separator: ".", maxSplits: 2).map(String.init)
        metric = parts[0] + "." + parts[1]
        aggregate = parts[2].hasPrefix("p") ? "p(\(parts[2].dropFirst()))" : parts[2]
    }

    /// The metric that a map of a scenario compares by default: the first of its primary ones, or
    /// the response of the first client that arrives.
    public init(defaultOf scenario: Scenario) throws(RunError) {
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

    /// How many samples a percentile takes: ten beyond it.
    var neededSamples: Double {
        guard aggregate.hasPrefix("p("), let percent = Double(aggregate.dropFirst(2).dropLast())
        else { return 1 }
        return 10 / max(1e-6, 1 - percent / 100)
    }

    /// The highest percentile that so many samples give, if this one is not given; a mean takes
    /// the place of all of them.
    func affordable(with samples: Double) -> CrossoverMetric {
        // Arrivals are not even: a third more, so that no block is without.
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

    /// This one, and what can stand in for it where runs have too few accesses: lower percentiles
    /// down to the median, then the mean.
    var standIns: [CrossoverMetric] {
        guard aggregate.hasPrefix("p(") else { return [self] }
        let lower = MetricCatalog.percentiles.reversed().map { "p(\($0))" }
            .drop { $0 != aggregate }
        return (lower + ["mean"]).map { aggregate in
            var metric = self
            metric.aggregate = aggregate
            return metric
        }
    }

    /// Its value in a run; nil without enough samples.
    func value(in result: ArmResult) -> Double? {
        result.value(of: metric, aggregate).flatMap { $0 > 0 ? $0 : nil }
    }
}
