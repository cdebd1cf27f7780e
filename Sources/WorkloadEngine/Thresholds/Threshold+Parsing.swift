extension Threshold {
    /// An expression that is not understood.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The expression, what is wrong with it, and what was expected.
        public var description: String
    }

    /// Reads an expression such as `p(99) < 50ms`, for a metric such as `ui.response`.
    ///
    /// The limit's unit is the metric's: a time for latencies, a size for `wal.bytes`, a rate for
    /// throughput, a number or a percentage for shares, a number for counts.
    ///
    /// - Throws: ``Failure``.
    public init(metric name: String, expression: String, in catalog: MetricCatalog) throws {
        guard let metric = catalog.metric(name) else {
            throw Failure(description: catalog.problem(with: name))
        }
        let (left, comparison, right) = try Self.split(expression)
        let known = metric.aggregates.keys.sorted()
        guard let unit = metric.aggregates[left] else {
            throw Failure(
                description: "'\(left)' cannot be taken of '\(name)' in '\(expression)'"
                    + Self.hint(left, among: known)
            )
        }
        let limit: Double
        do {
            limit = try Self.limit(right, in: unit)
        } catch {
            throw Failure(description: "the limit of '\(expression)': \(error)")
        }
        self.init(
            metric: name,
            expression: expression,
            aggregate: left,
            comparison: comparison,
            limit: limit
        )
    }

    /// Whether an observed value, in the metric's base unit, is on the right side of the limit.
    ///
    /// - Returns: Whether it is; nil when nothing was observed.
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
                description: "'\(expression)' compares nothing; write p(99) < 50ms"
            )
        }
        let comparison = expression[sign...].prefix { "<>=".contains($0) }
        guard ["<", "<=", ">", ">="].contains(comparison) else {
            throw Failure(
                description: "'\(comparison)' in '\(expression)' is none of <, <=, >, >="
            )
        }
        let left = expression[..<sign].filter { !$0.isWhitespace }
        let right = expression[comparison.endIndex...].drop(while: \.isWhitespace)
        let end = right.lastIndex { !$0.isWhitespace }
        guard !left.isEmpty, let end else {
            throw Failure(
                description: "'\(expression)' lacks a side; write p(99) < 50ms"
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
        case .share where text.hasSuffix("%"):
            return try Quantity.share(text)
        case .share, .count:
            guard let number = Double(text), number.isFinite else {
                let examples = unit == .share ? "0.01 or 1%" : "100"
                throw Failure(description: "'\(text)' is not a number; write \(examples)")
            }
            return number
        }
    }

    /// The nearest aggregate; a percentile is near to percentiles only.
    private static func hint(_ name: String, among known: [String]) -> String {
        if name.hasPrefix("p("), known.contains("p(99)") {
            return "; percentiles: "
                + MetricCatalog.percentiles.map { "p(\($0))" }.joined(separator: ", ")
        }
        return NearestName.hint(name, among: known)
    }
}

extension Duration {
    /// The length in nanoseconds, cut to a whole number.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
