/// The reference documentation of all metrics, generated from their descriptors.
package enum MetricReference {
    /// The reference as Markdown.
    package static let markdown = """
        ## Client metrics

        \(table(clients))

        ## Database metrics

        \(table(databases))

        """

    /// The reference as plain text.
    package static let text = (clients + databases).flatMap { metric in
        [metric.name, "    \(metric.explanation) \(metric.direction)"]
            + metric.values.map { "    \($0.names.joined(separator: ", ")): \($0.unit)" }
    }.map { $0.replacing("`", with: "") + "\n" }.joined()

    private static let clients = ClientMetrics.all.map { Entry($0, prefix: "CLIENT.") }
    private static let databases = DatabaseMetrics.all.map { Entry($0, prefix: "") }

    private static func table(_ metrics: [Entry]) -> String {
        let rows = metrics.map { metric in
            let values = metric.values.map { values in
                values.names.map { "`\($0)`" }.joined(separator: ", ") + ": \(values.unit)"
            }
            return "| `\(metric.name)` | \(values.joined(separator: "; ")) | "
                + "\(metric.explanation) \(metric.direction) |"
        }
        return (["| metric | values | meaning |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private struct Entry {
        var name: String
        var explanation: String
        var direction: String
        var values: [(names: [String], unit: String)]

        init<Owner>(_ metric: MetricDescriptor<Owner>, prefix: String) {
            name = prefix + metric.key
            explanation = metric.explanation
            direction =
                metric.latency != nil
                ? "Lower is better, except for `count`."
                : metric.isLowerBetter ? "Lower is better." : "Higher is better."
            values = metric.aggregates.reduce(into: []) { values, aggregate in
                let unit = aggregate.unit.valueDescription
                if values.last?.unit == unit {
                    values[values.count - 1].names.append(aggregate.name)
                } else {
                    values.append(([aggregate.name], unit))
                }
            }
        }
    }
}

extension MetricCatalog.Unit {
    fileprivate var valueDescription: String {
        switch self {
        case .time: "time, such as 50ms"
        case .bytes: "size, such as 64MiB"
        case .rate: "rate, such as 100/s"
        case .count: "number, such as 100"
        case .share: "share, such as 1% or 0.01"
        case .ratio: "ratio, such as 0.5"
        }
    }
}
