import Telemetry

/// The metrics of a database in Prometheus's text format.
///
/// Counts and times cover the time since the database was opened. Connection metrics follow
/// OpenTelemetry's conventions for connection pools in Prometheus's form; the readers and the writer
/// of a database count as one pool each. No label contains SQL.
final class AgentMetrics: Sendable {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The largest sum of each summary so far.
    ///
    /// A status contains a rounded mean. Without this memory, the product of mean and count could
    /// decrease, which Prometheus interprets as a restart.
    private let sums = Lock<[String: Double]>([:])

    /// Returns the metrics of a status.
    func text(of status: DatabaseStatus) -> String {
        AgentMetric.all.map { metric in
            var lines: [String] = []
            for value in metric.values(status) {
                switch value.number {
                case .single(let number):
                    lines.append(metric.name + labels(value.labels) + " " + format(number))
                case .summary(let summary):
                    lines += self.lines(of: summary, metric.name, value.labels)
                }
            }
            guard !lines.isEmpty else { return "" }
            let head = [
                "# HELP \(metric.name) \(metric.help)",
                "# TYPE \(metric.name) \(metric.type.rawValue)",
            ]
            return (head + lines).joined(separator: "\n") + "\n"
        }.joined()
    }

    private func lines(
        of summary: LatencySummary,
        _ name: String,
        _ pairs: [(String, String)]
    ) -> [String] {
        let quantiles: [(String, UInt64?)] = [
            ("0.5", summary.p50), ("0.95", summary.p95), ("0.99", summary.p99), ("1", summary.max),
        ]
        var lines = quantiles.compactMap { quantile, value in
            value.map {
                name + labels(pairs + [("quantile", quantile)]) + " " + format(seconds($0))
            }
        }
        let series = name + labels(pairs)
        let product = seconds(summary.mean) * Double(summary.count)
        let sum = sums.withLock { sums in
            let sum = max(product, sums[series] ?? 0)
            sums[series] = sum
            return sum
        }
        lines.append("\(name)_sum\(labels(pairs)) \(format(sum))")
        lines.append("\(name)_count\(labels(pairs)) \(summary.count)")
        return lines
    }

    private func labels(_ pairs: [(String, String)]) -> String {
        "{" + pairs.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Formats whole numbers without a fraction.
    private func format(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }
}
