/// Something of the user's own that must hold for the data after a run.
public struct DataInvariant: Sendable, Equatable {
    /// Its name in the results.
    public var name: String
    /// A query that takes no parameters; it holds when no value of its first row is 0 or NULL.
    public var sql: String

    /// Creates an invariant.
    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
