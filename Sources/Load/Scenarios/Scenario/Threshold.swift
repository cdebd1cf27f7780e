import Text

/// A limit on a metric, such as `p(99) < 50ms` on `ui.response`.
public struct Threshold: Sendable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as written in the scenario.
    public var expression: String
    /// The aggregate of the metric, such as `p(99)`, `max`, or `rate`.
    public var aggregate: String
    /// The operator: `<`, `<=`, `>`, or `>=`.
    public var comparison: String
    /// The limit in the metric's base unit, which is nanoseconds, bytes, or a plain number.
    public var limit: Double
    /// The measured time before a miss ends the run early, or `nil` to continue after a miss.
    public var abortDelay: Duration?

    /// Creates a threshold.
    public init(
        metric: String,
        expression: String,
        aggregate: String,
        comparison: String,
        limit: Double
    ) {
        self.metric = metric
        self.expression = expression
        self.aggregate = aggregate
        self.comparison = comparison
        self.limit = limit
    }
}

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
                    + (Self.isPercentile(left, among: known) ? "percentile" : "aggregate")
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

    private static func isPercentile(_ name: String, among known: [String]) -> Bool {
        name.hasPrefix("p(") && known.contains("p(99)")
    }

    private static func hint(_ name: String, among known: [String]) -> String {
        if isPercentile(name, among: known) {
            return "; expected one of: "
                + MetricCatalog.percentiles.map { "p(\($0))" }.joined(separator: ", ")
        }
        return NearestName.hint(name, among: known)
    }
}

extension Threshold {
    /// Returns the reason the scenario's clients do not produce the metric, if any.
    func problem(among clients: [Client]) -> String? {
        let parts = metric.split(separator: ".").map(String.init)
        guard parts.count == 2, ["fairness", "longest-wait"].contains(parts[1]),
            let client = clients.first(where: { $0.name == parts[0] })
        else { return nil }
        if client.workers < 2 {
            return "'\(metric)' needs a client with at least two workers; '\(client.name)' has one"
        }
        if parts[1] == "fairness", case .open = client.pace {
            return "'\(metric)' needs a client without 'arrival': any worker of '\(client.name)' "
                + "serves any arrival; limit \(client.name).longest-wait instead"
        }
        return nil
    }

    private static let increasingAggregates = ["count", "max"]

    /// The reason a miss of this threshold cannot end a run early, if any.
    var abortProblem: String? {
        let problem = "'\(expression)' of '\(metric)' cannot end a run early"
        if aggregate == "final" || metric.hasSuffix(".unfinished") {
            return problem + ": its value is known only at the end; remove 'abort'"
        }
        if Self.increasingAggregates.contains(aggregate), comparison.hasPrefix(">") {
            return problem + ": the value only increases, so the limit may still be met later; "
                + "write '\(aggregate) < …', or remove 'abort'"
        }
        return nil
    }
}
