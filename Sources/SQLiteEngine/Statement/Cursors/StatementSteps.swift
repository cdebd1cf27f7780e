import CSQLite

/// One execution of a statement, step by step.
@usableFromInline
struct StatementSteps {
    private enum State {
        case ready
        case stepping
        case done
    }

    @usableFromInline let statement: Statement
    private let execution: UInt64
    private var state = State.ready

    /// Binds the arguments without executing the statement.
    @usableFromInline
    init(_ statement: Statement, _ arguments: StatementArguments?) throws {
        try statement.prepareExecution(arguments)
        self.statement = statement
        execution = statement.execution
    }

    /// Steps to the next row and returns whether one exists.
    ///
    /// After an error, the next call executes the statement again.
    @usableFromInline
    mutating func advance() throws -> Bool {
        guard state != .done else { return false }
        guard execution == statement.execution else { throw statement.reexecutionError() }
        let isFirst = state == .ready
        state = .ready
        let hasRow = try isFirst ? statement.startStepping() : statement.continueStepping()
        state = hasRow ? .stepping : .done
        return hasRow
    }

    /// Ends the execution, unless the statement has since been executed again.
    @usableFromInline
    func end() {
        if execution == statement.execution { statement.abandon() }
    }
}

extension Statement {
    /// Returns the error for a cursor whose statement was executed again during the iteration.
    fileprivate func reexecutionError() -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the statement was executed again while a cursor iterated over it",
            sql: sql
        )
    }
}
