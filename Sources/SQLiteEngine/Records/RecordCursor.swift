/// A cursor over records.
public final class RecordCursor<Record: FetchableRecord>: SteppingCursor {
    /// The type of the elements that the cursor produces.
    public typealias Element = Record

    // The cursor belongs to one access, so its variables need no exclusivity checks.
    @exclusivity(unchecked) @usableFromInline var steps: StatementSteps
    private let adapter: (any RowAdapter)?
    @exclusivity(unchecked) @usableFromInline var row: Row?

    @usableFromInline
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

    /// Advances to the next record and returns it, or returns `nil` at the end.
    @inlinable
    public func next() throws -> Record? {
        guard try steps.advance() else { return nil }
        return try Record(row: row ?? makeRow())
    }

    @usableFromInline
    func makeRow() throws -> Row {
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
