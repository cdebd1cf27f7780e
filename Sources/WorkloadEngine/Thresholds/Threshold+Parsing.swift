import Text

extension Threshold {
    /// The error for an invalid threshold.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and the expected form.
        public var description: String
    }

    /// Parses an expression such as `p(99) < 50ms`, for a metric such as `ui.response`.
    ///
    /// The limit has the metric's unit: a time for latencies, a size for `wal.bytes`, a rate for
    /// throughput, a number or a percentage for shares, and a number for counts.
    ///
    /// - Throws: ``Failure`` if the expression is invalid.
    public init(metric name: String, expression: String, in catalog: MetricCatalog) throws {
        guard let metric = catalog.metric(name) else {
            throw Failure(description: catalog.problem(with: name))
        }
        let (left, comparison, right) = try Self.split(expression)
        let known = metric.aggregates.keys.sorted()
        guard let unit = metric.aggregates[left] else {
            throw Failure(
                description: "'\(expression)': '\(name)' has no "
                    + (Self.isPercentile(left, known) ? "percentile" : "aggregate")
                    + " '\(left)'" + Self.hint(left, among: known)
            )
        }
        let limit: Double
        do {
            limit = try Self.limit(right, in: unit)
        } catch {
            throw Failure(description: "the limit in '\(expression)': \(error)")
        }
        self.init(
            metric: name,
            expression: expression,
            aggregate: left,
            comparison: comparison,
            limit: limit
        )
    }

    /// Returns whether an observed value, in the metric's base unit, meets the threshold, or `nil`
    /// if there is no value.
    public func isMet(by observed: Double?) -> Bool? {
        guard let observed, !observed.isNaN else { return nil }
        return switch comparison {
        case "<": observed < limit
        case "<=": observed <= limit
        case ">": observed > limit
        case ">=": observed >= limit
        default: false
        }
    }

    private static func split(_ expression: String) throws -> (String, String, String) {
        guard let sign = expression.firstIndex(where: { "<>=".contains($0) }) else {
            throw Failure(
                description: "'\(expression)' has no comparison; write, for example, p(99) < 50ms"
            )
        }
        let comparison = expression[sign...].prefix { "<>=".contains($0) }
        guard ["<", "<=", ">", ">="].contains(comparison) else {
            throw Failure(
                description: "'\(comparison)' in '\(expression)' is not one of <, <=, >, and >="
            )
        }
        let left = expression[..<sign].filter { !$0.isWhitespace }
        let right = expression[comparison.endIndex...].drop(while: \.isWhitespace)
        let end = right.lastIndex { !$0.isWhitespace }
        guard !left.isEmpty, let end else {
            throw Failure(
                description: "'\(expression)' needs a metric and a value, as in p(99) < 50ms"
            )
        }
        return (left, String(comparison), String(right[...end]))
    }

    private static func limit(_ text: String, in unit: MetricCatalog.Unit) throws -> Double {
        switch unit {
        case .time:
            return Double(try Quantity.duration(text).nanoseconds)
        case .bytes:
            return try Quantity.bytes(text)
        case .rate:
            return try Quantity.rate(text)
        case .share where text.hasSuffix("%"), .ratio where text.hasSuffix("%"):
            return try Quantity.share(text)
        case .share, .ratio, .count:
            guard let number = Double(text), number.isFinite else {
                let examples = unit == .count ? "100" : "0.01 or 1%"
                throw Failure(
                    description: "'\(text)' is not a number; write, for example, \(examples)"
                )
            }
            return number
        }
    }

    private static func isPercentile(_ name: String, _ known: [String]) -> Bool {
        name.hasPrefix("p(") && known.contains("p(99)")
    }

    private static func hint(_ name: String, among known: [String]) -> String {
        if isPercentile(name, known) {
            return "; expected one of: "
                + MetricCatalog.percentiles.map { "p(\($0))" }.joined(separator: ", ")
        }
        return NearestName.hint(name, among: known)
    }
}

extension Duration {
    /// The length in nanoseconds, truncated to a whole number.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
