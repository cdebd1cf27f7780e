/// A cursor that steps a statement, for callers that read the rows from the statement.
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
