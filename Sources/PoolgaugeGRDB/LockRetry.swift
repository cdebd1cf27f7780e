#if GRDB
import GRDB
import GRDBSQLite
import Telemetry

/// The behavior that GRDB configured for locks held by other connections.
enum LockRetry: Sendable {
    case never
    /// Retries until the timeout, in seconds, with SQLite's pauses.
    case timeout(Double)
    case callback(Database.BusyCallback)

    /// Reads the behavior of the busy handler that GRDB has installed.
    ///
    /// GRDB does not publish the timeout of a pool's readers, but SQLite reports every timeout. It
    /// reports 0 for a callback.
    init(of db: Database) throws {
        let milliseconds = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        if milliseconds > 0 {
            self = .timeout(Double(milliseconds) / 1_000)
        } else if case .callback(let callback) = db.configuration.busyMode {
            self = .callback(callback)
        } else {
            self = .never
        }
    }

    /// Pauses before the next attempt.
    ///
    /// - Parameter tries: The number of previous calls for the same lock.
    /// - Returns: Whether to retry.
    func pause(tries: Int) -> Bool {
        switch self {
        case .never: return false
        case .callback(let callback): return callback(tries)
        case .timeout(let seconds):
            guard let pause = BusyBackoff.pause(tries: tries, timeout: seconds) else {
                return false
            }
            sqlite3_sleep(CInt(pause))
            return true
        }
    }
}
#endif
