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
