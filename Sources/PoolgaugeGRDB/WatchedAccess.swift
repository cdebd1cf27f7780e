#if GRDB
import GRDB
import Telemetry

/// The origin of an access, which is formatted only for a status or an event.
package enum CallSite: Sendable {
    case label(String)
    case place(fileID: StaticString, line: UInt)

    init(_ label: String?, _ fileID: StaticString, _ line: UInt) {
        self = label.map { .label($0) } ?? .place(fileID: fileID, line: line)
    }

    var origin: AccessOrigin {
        switch self {
        case .label(let label): return AccessOrigin(name: label)
        case .place(let fileID, let line):
            let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
            return AccessOrigin(name: "\(file):\(line)")
        }
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

    /// The use of a connection by an access.
    package struct Use: Sendable {
        package let probe: ConnectionProbe
        fileprivate let waited: UInt64
        fileprivate let busyCount: UInt64
    }

    /// Runs the closure of the access on the connection that GRDB has selected.
    func run<T>(_ body: (Database) throws -> T, _ db: Database) rethrows -> T {
        let use = begin(on: db)
        do {
            let result = try body(db)
            end(use)
            return result
        } catch {
            end(use, failingWith: error)
            throw error
        }
    }

    /// Records the start of the closure on the connection that GRDB has selected.
    ///
    /// - Returns: The use, or `nil` if the connection is not observed.
    package func begin(on db: Database) -> Use? {
        let now = monotonicNanoseconds()
        let waited = now - min(now, calledAt)
        let connection = db.sqliteConnection
        guard let probe = ledger.start(number, on: connection, at: now, waited: waited)
        else { return nil }
        let busyCount = probe.enter(site, on: connection, at: now)
        return Use(probe: probe, waited: waited, busyCount: busyCount)
    }

    /// Records the end of the closure.
    package func end(_ use: Use?) {
        use?.probe.leave(waited: use?.waited ?? 0, failedUpgrade: false)
    }

    /// Records the end of the closure because of an error.
    package func end(_ use: Use?, failingWith error: any Error) {
        guard let use else { return }
        // SQLite does not call the busy handler if a transaction that has read tries to write while
        // another connection writes. See https://sqlite.org/c3ref/busy_handler.html.
        let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
        let isUpgrade = isBusy && use.probe.busyCount == use.busyCount
        use.probe.leave(waited: use.waited, failedUpgrade: isUpgrade)
    }

    /// Ends the wait of an access whose closure did not run.
    package func end() { ledger.end(number) }
}
#endif
