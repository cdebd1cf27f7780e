import MetricDescriptors
import Telemetry
import Text

/// A writer of metrics in Prometheus's text format.
///
/// Use one writer for all texts of a source, because a writer stores the previous histograms.
package final class MetricText: Sendable {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The latest values of histograms and summaries, keyed by series.
    private let earlier = Lock<[String: CumulativeLatencies]>([:])

    package init() {}

    /// Discards the stored values, because the source has restarted its counts.
    package func discardStoredValues() { earlier.withLock { $0 = [:] } }

    /// Formats metrics as text.
    ///
    /// - Parameters:
    ///   - metrics: The metrics, in the order of the text.
    ///   - sources: The sources of values, such as one for each database.
    ///   - labels: The names and values of additional labels.
    /// - Returns: The text, without metrics that have no value.
    package func text<Source>(
        _ metrics: [Metric<Source>],
        of sources: [Source],
        labels: [(name: String, value: String)] = []
    ) -> String {
        metrics.map { metric in
            let values = sources.flatMap(metric.values)
            guard !values.isEmpty else { return "" }
            // A metric has a single type, so values with and without buckets cannot be combined.
            let hasBuckets = values.allSatisfy { value in
                if case .latency(let summary) = value.number {
                    summary.buckets != nil
                } else {
                    true
                }
            }
            let isSummary = metric.type == .histogram && !hasBuckets
            var lines = [
                "# HELP \(metric.name) \(metric.help)",
                "# TYPE \(metric.name) \(isSummary ? "summary" : metric.type.rawValue)",
            ]
            for value in values {
                let pairs = labels + zip(metric.labels, value.labels).map { (name: $0, value: $1) }
                switch value.number {
                case .single(let number):
                    lines.append(metric.name + Self.labels(pairs) + " " + Self.format(number))
                case .latency(let summary):
                    lines += self.lines(
                        of: summary,
                        metric.name,
                        pairs: pairs,
                        isSummary: isSummary
                    )
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }.joined()
    }

    private func lines(
        of summary: LatencySummary,
        _ name: String,
        pairs: [(name: String, value: String)],
        isSummary: Bool
    ) -> [String] {
        let series = Self.labels(pairs)
        let latencies = earlier.withLock { earlier in
            let now = CumulativeLatencies(summary).following(earlier[name + series])
            earlier[name + series] = now
            return now
        }
        var lines: [String] = []
        if isSummary {
            let quantiles: [(String, UInt64?)] = [
                ("0.5", summary.p50), ("0.95", summary.p95), ("0.99", summary.p99),
                ("1", summary.max),
            ]
            lines = quantiles.compactMap { quantile, value in
                value.map {
                    let labels = Self.labels(pairs + [("quantile", quantile)])
                    return "\(name)\(labels) \(Self.format(seconds($0)))"
                }
            }
        } else {
            let bounds = LatencyBuckets.bounds.map { Self.format(seconds($0)) }
            lines = zip(bounds + ["+Inf"], latencies.counts + [latencies.count]).map {
                "\(name)_bucket\(Self.labels(pairs + [("le", $0)])) \($1)"
            }
        }
        lines.append("\(name)_sum\(series) \(Self.format(latencies.sum))")
        lines.append("\(name)_count\(series) \(latencies.count)")
        return lines
    }

    private static func labels(_ pairs: [(name: String, value: String)]) -> String {
        guard !pairs.isEmpty else { return "" }
        return "{" + pairs.map { "\($0)=\"\(Escaping.metricLabel($1))\"" }.joined(separator: ",")
            + "}"
    }

    /// Formats whole numbers without a fraction.
    private static func format(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }
}

/// The values of a histogram or summary, which must not decrease.
///
/// Prometheus interprets a decrease as a restart of the program, and counts all values again.
struct CumulativeLatencies: Equatable {
    /// The number of latencies up to each bound, or empty for a summary.
    var counts: [UInt64]
    var count: UInt64
    /// The sum of the latencies, in seconds.
    var sum: Double

    init(_ summary: LatencySummary) {
        guard let buckets = summary.buckets else {
            counts = []
            count = summary.count
            sum = seconds(summary.mean) * Double(summary.count)
            return
        }
        counts = []
        count = 0
        for index in LatencyBuckets.bounds.indices {
            if index < buckets.counts.count { count &+= buckets.counts[index] }
            counts.append(count)
        }
        for longer in buckets.counts.dropFirst(counts.count) { count &+= longer }
        sum = seconds(buckets.sum)
    }

    /// Returns these values, corrected so that none of them is less than the corresponding earlier
    /// value.
    ///
    /// Values can decrease briefly because a status reads counts one after another, or because a
    /// publisher rounds its mean. If the count has decreased by more than half, the source has
    /// restarted its counts.
    func following(_ earlier: CumulativeLatencies?) -> CumulativeLatencies {
        guard let earlier, count >= earlier.count / 2, counts.count == earlier.counts.count else {
            return self
        }
        var result = self
        result.count = max(count, earlier.count)
        result.sum = max(sum, earlier.sum)
        for index in counts.indices {
            result.counts[index] = max(counts[index], earlier.counts[index])
        }
        return result
    }
}
