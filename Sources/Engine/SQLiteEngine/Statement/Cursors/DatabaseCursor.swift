import CSQLite

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

/// A single execution of a statement, one step at a time.
@usableFromInline
struct StatementSteps {
    private enum State {
        case ready
        case stepping
        case done
    }

    @usableFromInline let statement: Statement
    private let executionCount: UInt64
    private var resetCount: UInt64 = 0
    private var state = State.ready

    /// The error that ended the execution.
    private var failure: (any Error)?

    /// Binds the arguments without executing the statement.
    @usableFromInline
    init(_ statement: Statement, _ arguments: StatementArguments?) throws {
        try statement.prepareExecution(arguments)
        self.statement = statement
        executionCount = statement.executionCount
    }

    /// Steps to the next row.
    ///
    /// - Returns: Whether the step produced a row.
    /// - Throws: The error of the step, which ends the execution. Later calls throw the same error,
    ///   because another execution would return the first rows again.
    @usableFromInline
    mutating func advance() throws -> Bool {
        guard state != .done else { return false }
        if let failure { throw failure }
        guard executionCount == statement.executionCount else { throw statement.reexecutionError() }
        do {
            let hasRow: Bool
            if state == .ready {
                hasRow = try statement.startStepping()
                resetCount = statement.database.resetCount
            } else {
                // Another step would execute the statement again.
                guard resetCount == statement.database.resetCount else {
                    throw statement.resetError()
                }
                hasRow = try statement.continueStepping()
            }
            state = hasRow ? .stepping : .done
            return hasRow
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the execution, unless another call has since executed the statement.
    @usableFromInline
    func end() {
        if executionCount == statement.executionCount { statement.abandon() }
    }
}

/// A cursor over rows.
///
/// The cursor reuses a single row, which contains the values of the current step. To keep a row,
/// copy it with ``Row/copy()``.
public final class RowCursor: SteppingCursor {
    /// The type of the elements that the cursor produces.
    public typealias Element = Row

    @usableFromInline var steps: StatementSteps
    private let adapter: (any RowAdapter)?
    private var row: Row?

    init(
        _ statement: Statement,
        _ arguments: StatementArguments?,
        _ adapter: (any RowAdapter)?
    ) throws {
        // Throw here rather than at the first row if the adapter maps an unknown column.
        _ = try adapter?.layout(from: statement.layout)
        steps = try StatementSteps(statement, arguments)
        self.adapter = adapter
    }

    deinit { steps.end() }

    /// Advances to the next row and returns it, or returns `nil` at the end.
    public func next() throws -> Row? {
        guard try steps.advance() else { return nil }
        if let row { return row }
        // The first step can reprepare the statement, which can change its columns.
        let layout = steps.statement.layout
        let row = Row(
            statement: steps.statement,
            layout: try adapter?.layout(from: layout) ?? layout
        )
        self.row = row
        return row
    }
}

/// A cursor over the values of one column.
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: SteppingCursor {
    /// The type of the elements that the cursor produces.
    public typealias Element = Value

    @usableFromInline var steps: StatementSteps
    @usableFromInline let column: CInt

    /// The function that reads a column, or `nil` for the type's own function.
    @usableFromInline let read: ((SQLiteStatement, CInt) -> Value?)?

    @usableFromInline
    init(
        _ statement: Statement,
        _ arguments: StatementArguments?,
        _ adapter: (any RowAdapter)?,
        reading read: ((SQLiteStatement, CInt) -> Value?)? = nil
    ) throws {
        steps = try StatementSteps(statement, arguments)
        column = try statement.firstColumn(adapter)
        self.read = read
    }

    deinit { steps.end() }

    /// Advances to the next value and returns it, or returns `nil` at the end.
    @inlinable
    public func next() throws -> Value? {
        guard try steps.advance() else { return nil }
        let pointer = steps.statement.pointer
        let value = read.map { $0(pointer, column) } ?? Value.fromColumn(pointer, at: column)
        if let value { return value }
        throw steps.statement.mismatch(Value.self, column: column)
    }
}

/// A cursor over values that are read without a ``DatabaseValue``.
public typealias FastDatabaseValueCursor<Value> = DatabaseValueCursor<Value>
where Value: DatabaseValueConvertible & StatementColumnConvertible
