import CSQLite

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
    private var state = State.ready

    /// Binds the arguments without executing the statement.
    @usableFromInline
    init(_ statement: Statement, _ arguments: StatementArguments?) throws {
        try statement.prepareExecution(arguments)
        self.statement = statement
        executionCount = statement.executionCount
    }

    /// Steps to the next row.
    ///
    /// After an error, the next call executes the statement again.
    ///
    /// - Returns: Whether the step produced a row.
    @usableFromInline
    mutating func advance() throws -> Bool {
        guard state != .done else { return false }
        guard executionCount == statement.executionCount else { throw statement.reexecutionError() }
        let isFirst = state == .ready
        state = .ready
        let hasRow = try isFirst ? statement.startStepping() : statement.continueStepping()
        state = hasRow ? .stepping : .done
        return hasRow
    }

    /// Ends the execution, unless another call has since executed the statement.
    @usableFromInline
    func end() {
        if executionCount == statement.executionCount { statement.abandon() }
    }
}
