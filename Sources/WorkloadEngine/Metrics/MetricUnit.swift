import Text

extension MetricCatalog {
    /// The unit of a metric's values and limits.
    public enum Unit: Sendable, Equatable {
        /// Nanoseconds.
        case time
        /// Bytes.
        case bytes
        /// Accesses per second.
        case rate
        /// A count.
        case count
        /// A fraction from 0 through 1, shown as a percentage.
        case share
        /// A number without a unit, shown with decimals, such as `12.50`.
        case ratio

        /// Returns a value as text for reports.
        package func text(_ value: Double) -> String {
            switch self {
            case .time: ReportUnits.time(UInt64(max(0, value.rounded())))
            case .bytes: ReportUnits.bytes(UInt64(max(0, value.rounded())))
            case .rate: ReportUnits.rate(value)
            case .count: HumanUnits.exact(UInt64(max(0, value.rounded())))
            case .share: ReportUnits.percent(value)
            case .ratio: ReportUnits.fraction(value)
            }
        }

        /// The suffix of CSV column names.
        var csvSuffix: String {
            switch self {
            case .time: "_ns"
            case .bytes: "_bytes"
            case .rate: "_per_s"
            case .count, .share, .ratio: ""
            }
        }

        /// Returns a value as text for a CSV cell, without the unit.
        func csvText(_ value: Double) -> String {
            switch self {
            case .time, .bytes, .count: String(UInt64(max(0, value.rounded())))
            case .rate, .share, .ratio: String(value)
            }
        }

        /// The value that reports show if there are no samples.
        var valueWithoutSamples: Double? { self == .count ? 0 : nil }
    }
}
