/// The reference of all metrics, generated from their descriptors.
public enum MetricReference {
    /// The reference as Markdown that ends with a newline.
    public static let markdown: String = {
        let titles = ["metric", "values", "unit", "better", "meaning"]
        return """
            ## Of each client

            \(table(titles, rows(ClientMetrics.all, prefix: "CLIENT.").map(marked)))

            ## Of the database

            \(table(titles, rows(DatabaseMetrics.all, prefix: "").map(marked)))

            """
    }()

    /// The reference as text that ends with a newline.
    public static let text: String = {
        let all = rows(ClientMetrics.all, prefix: "CLIENT.") + rows(DatabaseMetrics.all, prefix: "")
        var lines: [String] = []
        var last = ""
        for row in all {
            if row[0] != last { lines += [row[0], "    \(row[4]) (\(row[3]) is better)"] }
            last = row[0]
            lines.append("    \(row[1]): \(row[2])")
        }
        return lines.map { $0.replacing("`", with: "") + "\n" }.joined()
    }()

    /// The rows of a table: one for the aggregates with the same unit.
    private static func rows<Owner>(
        _ metrics: [MetricDescriptor<Owner>],
        prefix: String
    ) -> [[String]] {
        metrics.flatMap { metric in
            let units = metric.aggregates.reduce(into: [MetricCatalog.Unit]()) { units, aggregate in
                if !units.contains(aggregate.unit) { units.append(aggregate.unit) }
            }
            return units.map { unit in
                let names = metric.aggregates.filter { $0.unit == unit }.map(\.name)
                return [
                    prefix + metric.key, names.joined(separator: ", "), unit.words,
                    metric.isLowerBetter ? "lower" : "higher", metric.explanation,
                ]
            }
        }
    }

    private static func marked(_ row: [String]) -> [String] {
        ["`\(row[0])`", row[1].split(separator: ", ").map { "`\($0)`" }.joined(separator: ", ")]
            + row[2...]
    }

    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        ([titles, titles.map { _ in "---" }] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

extension MetricCatalog.Unit {
    /// The unit, with an example of a limit.
    fileprivate var words: String {
        switch self {
        case .time: "time (50ms)"
        case .bytes: "size (64MiB)"
        case .rate: "rate (100/s)"
        case .count: "number (100)"
        case .share: "share (1% or 0.01)"
        case .ratio: "ratio (0.5)"
        }
    }
}
