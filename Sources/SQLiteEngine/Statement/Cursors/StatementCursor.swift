/// A cursor that steps a statement.
///
/// The caller reads the rows from the statement.
final class StatementCursor: SteppingCursor {
    typealias Element = Void

    var steps: StatementSteps

    init(_ statement: Statement, _ arguments: StatementArguments?) throws {
        steps = try StatementSteps(statement, arguments)
    }

    deinit { steps.end() }

    func next() throws -> Void? { try steps.advance() ? () : nil }
}

@available(*, unavailable)
extension StatementCursor: Sendable {}

extension Statement {
    /// Returns a cursor over the steps of an execution.
    func makeCursor(arguments: StatementArguments? = nil) throws -> StatementCursor {
        try StatementCursor(self, arguments)
    }
}
