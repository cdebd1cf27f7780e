import Foundation
import Text

/// A metric and an aggregate that a comparison uses to judge arms, such as `ui.response.p99`.
///
/// The name consists of a metric in ``MetricCatalog`` and an aggregate. The name of a metric with
/// only one aggregate can omit the aggregate, as in `pay.throughput`.
public struct ComparisonMetric: Sendable, Hashable {
    /// The full name, such as `ui.response.p99`.
    public let name: String
    /// The metric, such as `ui.response`.
    package let metric: String
    /// The aggregate in the notation of thresholds, such as `p(99)`.
    package let aggregate: String
    package let unit: MetricCatalog.Unit

    /// The error for an invalid metric name.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and the expected form.
        public var description: String
    }

    /// Parses a name such as `ui.response.p99` or `pay.throughput`.
    ///
    /// - Throws: ``Failure``, which suggests the nearest valid name.
    public init(_ name: String, in catalog: MetricCatalog) throws(Failure) {
        let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
            .map(String.init)
        metric = parts.prefix(2).joined(separator: ".")
        guard let known = catalog.metric(metric) else {
            // The example in the problem has no aggregate, but a comparison requires one.
            let problem = catalog.problem(with: metric)
            throw Failure(description: parts.count == 1 ? problem + ".p99" : problem)
        }
        self.name = name
        let plain = Dictionary(
            uniqueKeysWithValues: known.aggregates.map { (Self.plainName($0.key), $0) }
        )
        let names = plain.keys.sorted()
        let found =
            parts.count == 3 ? plain[parts[2]] : plain.count == 1 ? plain.values.first : nil
        guard let found else {
            let last = parts.count == 3 ? parts[2] : ""
            throw Failure(
                description: last.isEmpty
                    ? "'\(name)' has no aggregate; add one of: \(names.joined(separator: ", "))"
                    : "'\(metric)' has no aggregate '\(last)'" + Self.hint(last, among: names)
            )
        }
        (aggregate, unit) = found
    }

    private init(name: String, metric: String, aggregate: String, unit: MetricCatalog.Unit) {
        self.name = name
        self.metric = metric
        self.aggregate = aggregate
        self.unit = unit
    }

    private static func plainName(_ aggregate: String) -> String {
        aggregate.filter { $0 != "(" && $0 != ")" }
    }

    private static func hint(_ name: String, among names: [String]) -> String {
        func percentile(_ name: String) -> Double? {
            name.first == "p" ? Double(name.dropFirst()) : nil
        }
        guard let requested = percentile(name),
            let nearest = names.filter({ percentile($0) != nil }).min(by: {
                abs((percentile($0) ?? 0) - requested) < abs((percentile($1) ?? 0) - requested)
            })
        else { return NearestName.hint(name, among: names) }
        return "; did you mean '\(nearest)'?"
    }

    /// The first part of the name, which is a client's name or a group such as `wal` or `pool`.
    package var owner: String { String(metric.prefix { $0 != "." }) }

    package var isLowerBetter: Bool { MetricCatalog.isLowerBetter(metric, aggregate: aggregate) }

    /// The name for a sentence, such as `ui p99`, `ui wait p99`, or `pay throughput`.
    public var title: String {
        var words = name.split(separator: ".", maxSplits: 2).map(String.init)
        if words.count == 3, words[1] == "response" { words.remove(at: 1) }
        return words.joined(separator: " ")
    }

    // MARK: Percentiles

    /// The percentile, such as 99, or `nil` for other aggregates.
    package var percentile: Double? {
        guard aggregate.hasPrefix("p(") else { return nil }
        return Double(aggregate.dropFirst(2).dropLast())
    }

    /// The mean of the same metric, or `nil` if this metric is not a percentile.
    package var mean: ComparisonMetric? {
        percentile.map { _ in
            ComparisonMetric(name: "\(metric).mean", metric: metric, aggregate: "mean", unit: unit)
        }
    }

    /// The next lower percentile of the same metric, or `nil` for the lowest percentile.
    package var lowerPercentile: ComparisonMetric? {
        guard let percentile else { return nil }
        let lower = MetricCatalog.percentiles.last { Double($0).map { $0 < percentile } ?? false }
        return lower.map {
            ComparisonMetric(
                name: "\(metric).p\($0)",
                metric: metric,
                aggregate: "p(\($0))",
                unit: unit
            )
        }
    }
}

extension ComparisonMetric: CustomStringConvertible {
    /// The full name.
    public var description: String { name }
}
