#if GRDB
import GRDB
import Telemetry

/// The origin of an access, which is formatted only for a status or an event.
package struct CallSite: Sendable {
    private let label: String?
    private let fileID: StaticString
    private let line: UInt

    package init(_ label: String?, _ fileID: StaticString, _ line: UInt) {
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
package struct WatchedAccess: Sendable {
    package enum Kind: Sendable { case read, write }

    private let site: CallSite
    private let ledger: AccessLedger
    private let calledAt: UInt64
    private let number: UInt64

    package init(_ kind: Kind, at site: CallSite, _ ledger: AccessLedger, isTask: Bool = false) {
        self.site = site
        self.ledger = ledger
        calledAt = monotonicNanoseconds()
        number = ledger.call(kind, at: site, calledAt, isTask: isTask)
    }

    /// Runs the closure of the access on the connection that GRDB has selected.
    func run<T>(_ body: (Database) throws -> T, _ db: Database) rethrows -> T {
        try run(on: db) { _ in try body(db) }
    }

    /// Runs the closure of the access, with the probe of the connection that GRDB has selected.
    package func run<T>(on db: Database, _ body: (ConnectionProbe?) throws -> T) rethrows -> T {
        let now = monotonicNanoseconds()
        let waited = now - min(now, calledAt)
        let connection = db.sqliteConnection
        guard let probe = ledger.start(number, on: connection, at: now, waited: waited)
        else { return try body(nil) }
        let busyCount = probe.enter(site, on: connection, at: now)
        do {
            let result = try body(probe)
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
    package func end() { ledger.end(number) }
}
#endif
