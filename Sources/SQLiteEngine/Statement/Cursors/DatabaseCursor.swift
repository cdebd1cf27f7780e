/// A cursor over the results of a statement.
///
/// A cursor is valid only during the access that created it. If another call executes its
/// statement, the cursor throws an error at the next step.
public protocol DatabaseCursor<Element>: Cursor {
    /// The SQL of the statement.
    var sql: String { get }

    /// The arguments of the statement.
    var arguments: StatementArguments { get }

    /// The names of the result columns.
    var columnNames: [String] { get }

    /// The number of result columns.
    var columnCount: Int { get }

    /// The region that the statement reads.
    var databaseRegion: DatabaseRegion { get }
}

/// A cursor that steps a statement and reads its properties from the statement.
@usableFromInline
protocol SteppingCursor: DatabaseCursor {
    var steps: StatementSteps { get }
}

extension SteppingCursor {
    /// The SQL of the statement.
    public var sql: String { steps.statement.sql }

    /// The arguments of the statement.
    public var arguments: StatementArguments { steps.statement.arguments }

    /// The names of the result columns.
    public var columnNames: [String] { steps.statement.columnNames }

    /// The number of result columns.
    public var columnCount: Int { steps.statement.columnCount }

    /// The region that the statement reads.
    public var databaseRegion: DatabaseRegion { steps.statement.databaseRegion }
}
