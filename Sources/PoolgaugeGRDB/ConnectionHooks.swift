#if GRDB
import GRDB
import GRDBSQLite
import Telemetry

/// The callbacks for the statements and locks of a connection.
///
/// SQLite calls them on the thread that uses the connection, with a pointer to the connection's
/// ``ConnectionProbe``. An SQL function owns the probe. SQLite calls the function's destructor when
/// the connection is closed (<https://sqlite.org/c3ref/create_function.html>), after the last call
/// of the other callbacks.
enum ConnectionHooks {
    static func install(in db: Database, for ledger: AccessLedger) throws {
        guard let connection = db.sqliteConnection else { return }
        let retry = try LockRetry(of: db)
        let probe = ConnectionProbe(db, retry: retry, ledger)
        let context = Unmanaged.passRetained(probe).toOpaque()
        // SQLite also calls the destructor if this call fails.
        let code = sqlite3_create_function_v2(
            connection,
            "poolgauge_connection",
            0,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            context,
            { call, _, _ in sqlite3_result_null(call) },
            nil,
            nil,
            { context in
                guard let context else { return }
                Unmanaged<ConnectionProbe>.fromOpaque(context).takeRetainedValue().didClose()
            }
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        ledger.add(probe, for: connection)
        sqlite3_busy_handler(
            connection,
            { context, tries in
                ConnectionHooks.probe(context)?.encounterLock(tries: Int(tries)) == true ? 1 : 0
            },
            context
        )
        guard ledger.tracesStatements else { return }
        sqlite3_trace_v2(
            connection,
            UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, context, statement, text in
                guard let probe = ConnectionHooks.probe(context), let statement else { return 0 }
                if event == UInt32(SQLITE_TRACE_PROFILE) {
                    probe.statementDidEnd(OpaquePointer(statement))
                } else if let text {
                    let sql = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
                    probe.statementDidStart(OpaquePointer(statement), sql)
                }
                return 0
            },
            context
        )
    }

    private static func probe(_ context: UnsafeMutableRawPointer?) -> ConnectionProbe? {
        context.map { Unmanaged<ConnectionProbe>.fromOpaque($0).takeUnretainedValue() }
    }
}
#endif
