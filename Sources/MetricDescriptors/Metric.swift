import Telemetry

/// Returns a time in seconds, given the time in nanoseconds.
package func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }

/// An exported metric: its name, and its values in a source, such as a database status.
package struct Metric<Source>: Sendable {
    package var name: String
    package var type: MetricType
    /// A one-line description.
    package var help: String
    /// The names of the labels, in the order of ``MetricValue/labels``.
    package var labels: [String]
    /// A function that returns the values in a source.
    package var values: @Sendable (Source) -> [MetricValue]

    package init(
        _ name: String,
        _ type: MetricType,
        _ help: String,
        labels: [String],
        values: @escaping @Sendable (Source) -> [MetricValue]
    ) {
        self.name = name
        self.type = type
        self.help = help
        self.labels = labels
        self.values = values
    }

    package init(
        _ title: MetricTitle,
        labels: [String],
        values: @escaping @Sendable (Source) -> [MetricValue]
    ) {
        self.init(title.name, title.type, title.help, labels: labels, values: values)
    }

    /// Creates a metric with one value, or without values if the value is unknown.
    ///
    /// - Parameters:
    ///   - name: The name of the metric.
    ///   - type: The type of the metric.
    ///   - help: A one-line description.
    ///   - label: The name and value of the only label.
    ///   - value: A function that returns the value, or `nil` if the value is unknown.
    /// - Returns: The metric.
    package static func single(
        _ name: String,
        _ type: MetricType,
        _ help: String,
        label: (name: String, value: @Sendable (Source) -> String),
        _ value: @escaping @Sendable (Source) -> Double?
    ) -> Metric {
        Metric(name, type, help, labels: [label.name]) { source in
            value(source).map { [MetricValue([label.value(source)], .single($0))] } ?? []
        }
    }
}

/// The types of metrics in Prometheus's text format.
package enum MetricType: String, Sendable {
    case counter
    case gauge
    /// A classic histogram, or a summary if a latency has no buckets.
    case histogram
}

/// A value of a metric.
package struct MetricValue: Sendable {
    package enum Number: Sendable {
        case single(Double)
        case latency(LatencySummary)
    }

    /// The values of the metric's labels.
    package var labels: [String]
    package var number: Number

    package init(_ labels: [String], _ number: Number) {
        self.labels = labels
        self.number = number
    }
}
