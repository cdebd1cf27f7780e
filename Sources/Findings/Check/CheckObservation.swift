/// What a check saw of one statement, for one rule.
package struct CheckObservation: Sendable, Equatable {
    package var rule: CheckRule
    /// The statement with its literals masked, or `nil` if it is unknown or the observation is about a
    /// file.
    package var statement: String?
    /// The number of occurrences.
    package var count: UInt64 = 1
    /// The number of occurrences that failed with `SQLITE_BUSY`.
    package var failures: UInt64 = 0
    /// The largest number of rows or executions, or the longest time in seconds, on which the rule
    /// decided.
    package var measure = 0.0
    /// The length of the whole transaction with the longest gap, in seconds.
    package var length: Double?
    /// The other statement, table, version, or result code that the rule is about.
    package var related: String?
    /// The database of the first occurrence, `:memory:` for one in memory, or `nil` if unknown.
    package var file: String?
    /// The number of databases, at most ``fileLimit``.
    package var fileCount = 1
    /// The process of the first occurrence, and its name.
    package var process: Int32 = 0
    package var program: String?

    /// The number of databases from which they are not counted any more.
    package static let fileLimit = 10_000

    package init(
        _ rule: CheckRule,
        _ statement: String?,
        count: UInt64 = 1,
        measure: Double = 0,
        related: String? = nil
    ) {
        self.rule = rule
        self.statement = statement
        self.count = count
        self.measure = measure
        self.related = related
    }
}
