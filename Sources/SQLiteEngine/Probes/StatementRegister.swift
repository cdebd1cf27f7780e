import Telemetry

/// The SQL of a connection's statements by number, for ``DatabaseStatus``.
final class StatementRegister: Sendable {
    private struct State {
        var next: UInt64 = 1
        var sql: [UInt64: String] = [:]
        /// The last statement to run, if it has since been finalized.
        var finalized: (number: UInt64, sql: String)?
    }

    private let state = Lock(State())

    /// Adds a statement.
    ///
    /// - Returns: The statement's number, which is never 0.
    func add(sql: String) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.sql[state.next] = sql
            return state.next
        }
    }

    /// Removes a statement that is being finalized.
    ///
    /// - Parameters:
    ///   - number: The number of the statement.
    ///   - isLast: A function that returns whether this statement was the last to run.
    func remove(_ number: UInt64, isLast: () -> Bool) {
        state.withLock { state in
            let sql = state.sql.removeValue(forKey: number)
            if let sql, isLast() { state.finalized = (number, sql) }
        }
    }

    var allSQL: Set<String> { state.withLock { Set($0.sql.values) } }

    /// The SQL of a statement, or `nil` if the statement was removed.
    subscript(number: UInt64) -> String? {
        state.withLock { state in
            if let finalized = state.finalized, finalized.number == number {
                return finalized.sql
            }
            return state.sql[number]
        }
    }
}
