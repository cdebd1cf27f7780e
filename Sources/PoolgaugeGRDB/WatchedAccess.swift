#if GRDB
import GRDB
import Telemetry

/// The origin of an access, which is formatted only for a status or an event.
struct CallSite: Sendable {
    private let label: String?
    private let fileID: StaticString
    private let line: UInt

    init(_ label: String?, _ fileID: StaticString, _ line: UInt) {
        self.label = label
        self.fileID = fileID
        self.line = line
    }

    var origin: AccessOrigin {
        if let label { return AccessOrigin(name: label) }
        let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
        return AccessOrigin(name: "\(file):\(line)")
    }
}

/// An access through a method of ``WatchedDatabase``, from its call to its end.
///
/// The access waits until its closure starts. This includes GRDB's own work, such as `BEGIN`.
struct WatchedAccess: Sendable {
    enum Kind: Sendable { case read, write }

    private let site: CallSite
    private let ledger: AccessLedger
    private let calledAt: UInt64
    private let number: UInt64

    init(_ kind: Kind, at site: CallSite, _ ledger: AccessLedger, isTask: Bool = false) {
        self.site = site
        self.ledger = ledger
        calledAt = monotonicNanoseconds()
        number = ledger.call(kind, at: site, calledAt, isTask: isTask)
    }

    /// Runs the closure of the access on the connection that GRDB has selected.
    func run<T>(_ body: (Database) throws -> T, _ db: Database) rethrows -> T {
        let now = monotonicNanoseconds()
        let waited = now - min(now, calledAt)
        guard let probe = ledger.start(number, on: db.sqliteConnection, at: now, waited: waited)
        else { return try body(db) }
        let busyCount = probe.enter(site, at: now)
        do {
            let result = try body(db)
            probe.leave(waited: waited, failedUpgrade: false)
            return result
        } catch {
            // SQLite does not call the busy handler if a transaction that has read tries to write
            // while another connection writes. See https://sqlite.org/c3ref/busy_handler.html.
            let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
            probe.leave(waited: waited, failedUpgrade: isBusy && probe.busyCount == busyCount)
            throw error
        }
    }

    /// Ends the wait of an access whose closure did not run.
    func end() { ledger.end(number) }
}
#endif
