import CSQLite
import Telemetry
import TestSupport

@testable import SQLiteEngine

/// A gate that pauses a statement whose SQL calls the function `gate()`.
final class StatementGate: Sendable {
    private let entered = Gate()
    private let left = Gate()
    private let entryCount = Lock(0)

    /// A query that calls `gate()` and then counts for about ten seconds, unless interrupted.
    static let longQuery = """
        WITH RECURSIVE c(x) AS (SELECT gate() UNION ALL SELECT x + 1 FROM c LIMIT 100000000)
        SELECT count(*) FROM c
        """

    /// Defines `gate()` on a connection.
    func install(on db: Database) {
        sqlite3_create_function_v2(
            db.sqliteConnection,
            "gate",
            0,
            SQLITE_UTF8,
            Unmanaged.passRetained(self).toOpaque(),
            { context, _, _ in
                guard let pointer = sqlite3_user_data(context) else { return }
                Unmanaged<StatementGate>.fromOpaque(pointer).takeUnretainedValue().pass()
                sqlite3_result_int(context, 0)
            },
            nil,
            nil,
            { pointer in
                guard let pointer else { return }
                Unmanaged<StatementGate>.fromOpaque(pointer).release()
            }
        )
    }

    private func pass() {
        entryCount.withLock { $0 += 1 }
        entered.open()
        try? left.wait()
    }

    /// Waits until a statement has reached the gate.
    func awaitStatement() throws { try entered.wait() }

    /// Waits until a statement has reached the gate, without blocking the thread.
    func awaitStatement() async throws {
        try await eventuallyAsync { entryCount.withLock { $0 > 0 } }
    }

    /// Resumes the statement.
    func resume() { left.open() }
}
