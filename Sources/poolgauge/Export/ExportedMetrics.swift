import MetricDescriptors
import PoolgaugeAgent

/// The reference for all exported metrics, generated from their descriptors.
enum ExportedMetrics {
    /// A metric and the commands that export it.
    struct Row: Equatable {
        var name: String
        var type: String
        var help: String
        var labels: [String]
        var sources: [String]
    }

    /// All metrics, without duplicates.
    static let rows: [Row] = {
        var rows: [Row] = []
        func add<Source>(_ metrics: [Metric<Source>], from sources: [String]) {
            for metric in metrics {
                if let index = rows.firstIndex(where: { $0.name == metric.name }) {
                    rows[index].sources += sources
                } else {
                    rows.append(
                        Row(
                            name: metric.name,
                            type: metric.type.rawValue,
                            help: metric.help,
                            labels: metric.labels,
                            sources: sources
                        )
                    )
                }
            }
        }
        add([AgentMetricsSource.up], from: ["attach"])
        add(DatabaseMetric.all, from: ["attach", "run"])
        add(WatchMetric.all, from: ["top"])
        add(LoadMetric.all, from: ["run"])
        return rows
    }()

    /// The reference as a table in Markdown.
    static let markdown: String = {
        let lines = rows.map { row in
            let labels = row.labels.map { "`\($0)`" }.joined(separator: ", ")
            let sources = row.sources.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(row.name)` | \(row.type) | \(labels) | \(sources) | \(row.help) |"
        }
        let header = ["| metric | type | labels | source | description |", "|---|---|---|---|---|"]
        return (header + lines).joined(separator: "\n") + "\n"
    }()
}
