import CSQLite
import Foundation
import Synchronization

/// Whether a database's connection must not take locks now.
final class Suspension: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Whether locks are refused.
    @inline(__always)
    var isOn: Bool { flag.load(ordering: .relaxed) }

    /// Refuses locks from now on; answers whether they were not refused already.
    func begin() -> Bool { !flag.exchange(true, ordering: .sequentiallyConsistent) }

    /// Allows locks again; answers whether they were refused.
    func end() -> Bool { flag.exchange(false, ordering: .sequentiallyConsistent) }
}

extension Database {
    /// Post this notification to suspend all databases that were opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// A suspended database holds no lock for longer than it takes to notice: the statement that
    /// runs is interrupted, and a statement that could take a lock rolls the transaction back and
    /// throws `SQLITE_ABORT`. In WAL mode it can still be read. iOS kills an application that is
    /// suspended while it holds a lock.
    public static let suspendNotification = Notification.Name("SQLiteEngine.Database.Suspend")

    /// Post this notification to end what ``suspendNotification`` began.
    public static let resumeNotification = Notification.Name("SQLiteEngine.Database.Resume")

    /// Rolls back and throws `SQLITE_ABORT` when the database is suspended, and a statement could
    /// take a lock that others wait for.
    @inline(__always)
    func checkForSuspension(
        isReadOnly: Bool,
        sql: @autoclosure () -> String,
        arguments: @autoclosure () -> StatementArguments? = nil
    ) throws {
        guard suspension.isOn else { return }
        try refuseLocks(isReadOnly: isReadOnly, sql: sql(), arguments: arguments())
    }

    @inline(never)
    private func refuseLocks(
        isReadOnly: Bool,
        sql: String,
        arguments: StatementArguments?
    ) throws {
        // The interrupt of a suspension that begins now would stop the question for the mode.
        let mode = walIndex == nil ? readJournalMode() : "wal"
        journalModeCache = mode
        // Reads of a WAL database take no lock that another process waits for, and what ends a
        // transaction gives its locks up.
        if isReadOnly, mode == "wal" { return }
        if Self.endsTransaction(sql) { return }
        try? rollback()
        throw DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "Database is suspended",
            sql: sql,
            arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments
        )
    }

    /// The journal mode, read past the suspension: it takes no lock.
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

    /// Whether a statement commits, rolls back or releases.
    private static func endsTransaction(_ sql: String) -> Bool {
        let word = sql.prefix { $0.isLetter }.uppercased()
        return ["COMMIT", "END", "ROLLBACK", "RELEASE"].contains(word)
    }
}

/// Passes the notifications on, for as long as it lives.
///
/// `@unchecked Sendable`: the tokens are only read, and `NotificationCenter` may be called from
/// any thread.
final class SuspensionObserver: @unchecked Sendable {
    private let tokens: [any NSObjectProtocol]

    init(suspend: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(
                forName: Database.suspendNotification,
                object: nil,
                queue: nil
            ) { _ in suspend() },
            center.addObserver(
                forName: Database.resumeNotification,
                object: nil,
                queue: nil
            ) { _ in resume() },
        ]
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
