@testable import SQLiteEngine

/// An observer that records its notifications.
final class RecordingObserver: TransactionObserver {
    /// The error that the observer throws to prevent a commit.
    struct Refusal: Error {}

    /// The callbacks in order, such as `insert t 1`, `willCommit`, `didCommit`.
    var log: [String] = []
    /// Whether to prevent commits.
    var preventsCommits = false
    /// A closure that the observer calls with the log line of each callback.
    var reaction: ((String, Database?) -> Void)?

    private let filter: (DatabaseEventKind) -> Bool

    /// Creates an observer of the kinds of events that `filter` accepts.
    init(observing filter: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
        self.filter = filter
    }

    /// Returns the log and starts a new one.
    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    private func record(_ line: String, _ db: Database? = nil) {
        log.append(line)
        reaction?(line, db)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { filter(eventKind) }
    func databaseDidChange() { record("change") }
    func databaseDidChange(with event: DatabaseEvent) {
        record("\(event.kind) \(event.tableName) \(event.rowID)")
    }
    func databaseWillCommit() throws {
        record("willCommit")
        if preventsCommits { throw Refusal() }
    }
    func databaseDidCommit(_ db: Database) { record("didCommit", db) }
    func databaseDidRollback(_ db: Database) { record("didRollback", db) }
}
