import Telemetry

/// The definition of a metric for thresholds, comparisons, reports, and the documentation.
struct MetricDescriptor<Owner>: Sendable {
    struct Aggregate: Sendable {
        /// The name in thresholds, such as `p(99)`.
        let name: String
        let unit: MetricCatalog.Unit
        /// A function that returns the value in the base unit, or `nil` if there are no samples.
        ///
        /// A threshold on a missing value is undecided.
        let value: @Sendable (Owner) -> Double?
    }

    /// The key in thresholds, without the client's name.
    ///
    /// In JSON, the key is the name of the result's property.
    let key: String
    /// The column title in text and HTML tables, or `nil` if there is no column.
    let column: String?
    let isLowerBetter: Bool
    let explanation: String
    /// The values in thresholds and comparisons.
    ///
    /// Tables and CSV show only the first value.
    let aggregates: [Aggregate]
    /// A function that returns the latency summary, or `nil` if the metric is not a latency.
    let latency: (@Sendable (Owner) -> LatencySummary?)?
    /// A function that returns the number of samples, or `nil` if the `count` aggregate is that
    /// number.
    private let samples: (@Sendable (Owner) -> UInt64?)?

    init(
        _ key: String,
        column: String? = nil,
        isLowerBetter: Bool = true,
        _ explanation: String,
        _ aggregates: [Aggregate],
        latency: (@Sendable (Owner) -> LatencySummary?)? = nil,
        samples: (@Sendable (Owner) -> UInt64?)? = nil
    ) {
        self.key = key
        self.column = column
        self.isLowerBetter = isLowerBetter
        self.explanation = explanation
        self.aggregates = aggregates
        self.latency = latency
        self.samples = samples
    }

    func value(_ aggregate: String, of owner: Owner) -> Double? {
        aggregates.first { $0.name == aggregate }?.value(owner)
    }

    func sampleCount(of owner: Owner) -> Double? {
        samples.map { $0(owner).map { Double($0) } } ?? value("count", of: owner)
    }

    /// Returns the cell in text and HTML tables.
    ///
    /// Without samples, the cell of a count is 0.
    func cell(of owner: Owner) -> String {
        aggregates.first.flatMap { first in
            (first.value(owner) ?? first.unit.valueWithoutSamples).map(first.unit.text)
        } ?? "–"
    }

    /// The CSV column name, such as `longest_wait_ns`.
    var csvColumn: String {
        key.replacing("-", with: "_") + (aggregates.first?.unit.csvSuffix ?? "")
    }

    /// Returns the CSV cell, or an empty string if there is no value.
    func csvCell(of owner: Owner) -> String {
        aggregates.first.flatMap { first in
            (first.value(owner) ?? first.unit.valueWithoutSamples).map(first.unit.csvText)
        } ?? ""
    }
}

extension MetricDescriptor {
    static func latency(
        _ key: String,
        _ explanation: String,
        _ latency: @escaping @Sendable (Owner) -> LatencySummary?
    ) -> Self {
        let times = MetricCatalog.percentiles.map { "p(\($0))" } + ["max", "mean"]
        let aggregates = (times + ["count"]).map { name in
            Aggregate(name: name, unit: name == "count" ? .count : .time) { owner in
                latency(owner)?.value(name)
            }
        }
        return Self(key, explanation, aggregates, latency: latency)
    }

    static func number(
        _ key: String,
        aggregate: String,
        unit: MetricCatalog.Unit,
        column: String? = nil,
        isLowerBetter: Bool = true,
        explanation: String,
        _ value: @escaping @Sendable (Owner) -> Double?
    ) -> Self {
        Self(
            key,
            column: column,
            isLowerBetter: isLowerBetter,
            explanation,
            [Aggregate(name: aggregate, unit: unit, value: value)]
        )
    }
}

extension LatencySummary {
    func value(_ aggregate: String) -> Double? {
        let value: UInt64? =
            switch aggregate {
            case "p(50)": p50
            case "p(90)": p90
            case "p(95)": p95
            case "p(99)": p99
            case "p(99.9)": p999
            case "p(99.99)": p9999
            case "max": max
            case "mean": mean
            case "count": count
            default: nil
            }
        return value.map { Double($0) }
    }
}
