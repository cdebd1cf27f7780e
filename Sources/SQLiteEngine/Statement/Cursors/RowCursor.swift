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
