import CSQLite
import Foundation
import Synchronization

/// A flag that prevents the connections of a database from acquiring locks.
final class Suspension: Sendable {
    private let flag = Atomic<Bool>(false)

    @inline(__always)
    var isOn: Bool { flag.load(ordering: .relaxed) }

    /// Starts the suspension and returns whether it was off.
    func begin() -> Bool { !flag.exchange(true, ordering: .sequentiallyConsistent) }

    /// Ends the suspension and returns whether it was on.
    func end() -> Bool { flag.exchange(false, ordering: .sequentiallyConsistent) }
}

extension Database {
    /// The notification that suspends all databases that were opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// Your program posts this notification.
    ///
    /// A suspended database releases its locks as soon as possible. The running statement is
    /// interrupted, and a statement that could acquire a lock rolls the transaction back and throws
    /// `SQLITE_ABORT`. In WAL mode, reads continue. iOS terminates a suspended application that
    /// holds a lock.
    public static let suspendNotification = Notification.Name("SQLiteEngine.Database.Suspend")

    /// The notification that ends a suspension that ``suspendNotification`` started.
    ///
    /// Your program posts this notification.
    public static let resumeNotification = Notification.Name("SQLiteEngine.Database.Resume")

    /// Rolls the transaction back and throws `SQLITE_ABORT` if the database is suspended and a
    /// statement could acquire a lock that other connections wait for.
    @inline(__always)
    func checkForSuspension(
        isReadOnly: Bool,
        sql: @autoclosure () -> String,
        arguments: @autoclosure () -> StatementArguments? = nil
    ) throws {
        guard suspension.isOn else { return }
        try rejectLocks(isReadOnly: isReadOnly, sql: sql(), arguments: arguments())
    }

    @inline(never)
    private func rejectLocks(
        isReadOnly: Bool,
        sql: String,
        arguments: StatementArguments?
    ) throws {
        // A suspension that starts now could interrupt the query for the journal mode.
        let mode = walIndex == nil ? readJournalMode() : "wal"
        journalModeCache = mode
        // Reads of a WAL database acquire no lock that another process waits for, and ending a
        // transaction releases its locks.
        if isReadOnly, mode == "wal" { return }
        if Self.endsTransaction(sql) { return }
        try? rollback()
        throw makeError(
            .SQLITE_ABORT,
            message: "Database is suspended",
            sql: sql,
            arguments: arguments
        )
    }

    /// Reads the journal mode despite the suspension, because this read acquires no lock.
    func readJournalMode() -> String? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard
            sqlite3_prepare_v2(handle, "PRAGMA journal_mode", -1, &statement, nil)
                == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }

    private static func endsTransaction(_ sql: String) -> Bool {
        let word = sql.prefix { $0.isLetter }.uppercased()
        return ["COMMIT", "END", "ROLLBACK", "RELEASE"].contains(word)
    }
}

/// An observer that suspends and resumes a database in response to notifications, as long as the
/// observer exists.
///
/// `@unchecked Sendable`: the tokens are only read, and `NotificationCenter` can be called from any
/// thread.
final class SuspensionObserver: @unchecked Sendable {
    private let tokens: [any NSObjectProtocol]

    init(of database: some ObservedDatabase) {
        func observe(
            _ name: Notification.Name,
            _ body: @escaping @Sendable (any ObservedDatabase) -> Void
        ) -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak database] _ in if let database { body(database) }
            }
        }
        tokens = [
            observe(Database.suspendNotification) { $0.suspend() },
            observe(Database.resumeNotification) { $0.resume() },
        ]
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
