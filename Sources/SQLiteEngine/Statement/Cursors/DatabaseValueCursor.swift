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
        throw steps.statement.mismatch(Value.self, column)
    }
}

/// A cursor over values that are read without a ``DatabaseValue``.
public typealias FastDatabaseValueCursor<Value> = DatabaseValueCursor<Value>
where Value: DatabaseValueConvertible & StatementColumnConvertible
