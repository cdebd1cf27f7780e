/// A custom invariant of the data after a run.
public struct DataInvariant: Sendable, Equatable {
    /// The invariant's name in results.
    public var name: String
    /// A query without parameters.
    ///
    /// The invariant holds if the first row contains neither 0 nor NULL.
    public var sql: String

    /// Creates an invariant.
    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
