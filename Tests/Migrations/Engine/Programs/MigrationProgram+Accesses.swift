#if ENGINE_MIGRATIONS || GRDB
import Dispatch
import Foundation

#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

/// A source that names the key of all views.
private struct Views: DatabaseSchemaSource {
    func columnsForPrimaryKey(
        _ db: Database,
        inView view: DatabaseObjectID
    ) throws -> [String]? { ["id"] }
}

/// An observer that records what it observes.
private final class Observer: TransactionObserver {
    private let log: Log

    init(_ log: Log) { self.log = log }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { log.add("\(event.tableName) changes") }
    func databaseDidCommit(_ db: Database) { log.add("commit") }
    func databaseDidRollback(_ db: Database) { log.add("rollback") }
}

extension MigrationProgram {
    /// Migrations that run asynchronously, with observers, or while other accesses run.
    static let accesses = [
        MigrationProgram(
            "asynchronously",
            [
                { session in
                    let log = Log()
                    let migrator = log.tables("a", "b")
                    let writer = try session.open()
                    let done = DispatchSemaphore(value: 0)
                    migrator.asyncMigrate(writer) { result in
                        log.add("asynchronous: \(result.map { $0.isInsideTransaction })")
                        if let db = try? result.get() {
                            do { try db.execute(sql: "INSERT INTO a VALUES (1)") } catch {
                                log.add("\(error)")
                            }
                        }
                        done.signal()
                    }
                    done.wait()
                    for line in log.take() { session.add(line) }
                    try session.describe(migrator, writer)
                    try writer.close()
                },
                { session in
                    let log = Log()
                    var migrator = log.tables("a", "b")
                    log.sql("INSERT INTO a VALUES (1)", "c", &migrator)
                    let writer = try session.open()
                    let done = DispatchSemaphore(value: 0)
                    migrator.asyncMigrate(writer) { result in
                        do { _ = try result.get() } catch { log.add("\(error)") }
                        done.signal()
                    }
                    done.wait()
                    for line in log.take() { session.add(line) }
                    try session.describe(migrator, writer)
                    try writer.close()
                },
            ]
        ),
        MigrationProgram(
            "a schema source",
            [
                { session in
                    session.configuration.schemaSource = Views()
                    let log = Log()
                    var migrator = DatabaseMigrator()
                    migrator.registerMigration("a") { db in
                        try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS id")
                        log.add("source: \(db.schemaSource != nil)")
                        log.add("key: \((try? db.primaryKey("v").columns) ?? [])")
                        db.withSchemaSource(Views()) {
                            log.add("key: \((try? db.primaryKey("v").columns) ?? [])")
                        }
                    }
                    try session.migrate(migrator, log)
                    let writer = try session.open()
                    session.add("key afterwards") {
                        try writer.read { try $0.primaryKey("v").columns }
                    }
                    try writer.close()
                }
            ]
        ),
        MigrationProgram(
            "an observer",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    log.sql("INSERT INTO a VALUES (1)", "b", &migrator)
                    log.sql("INSERT INTO a VALUES (2); INSERT INTO a VALUES (2)", "c", &migrator)
                    let writer = try session.open()
                    let observer = Observer(log)
                    writer.add(transactionObserver: observer)
                    session.add("migrated") { try migrator.migrate(writer) }
                    for line in log.take() { session.add(line) }
                    try writer.close()
                    withExtendedLifetime(observer) {}
                }
            ]
        ),
        MigrationProgram(
            "a reader of an older state",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a"), log)
                },
                { session in
                    // The reader needs WAL, in which it does not block the writer.
                    let pool = try DatabasePool(path: session.path)
                    let started = DispatchSemaphore(value: 0)
                    let finished = DispatchSemaphore(value: 0)
                    let log = Log()
                    pool.asyncRead { db in
                        let count: (Database) -> Int? = {
                            try? Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master")
                        }
                        guard let db = try? db.get() else { return }
                        let before = count(db)
                        started.signal()
                        // The migration waits for this read.
                        log.add("the reader sees no change: \(before == count(db))")
                        finished.signal()
                    }
                    started.wait()
                    let migrator = log.tables("a", "b", "c")
                    try migrator.migrate(pool)
                    finished.wait()
                    for line in log.take() { session.add(line) }
                    try session.describe(migrator, pool)
                    try pool.close()
                },
            ]
        ),
        MigrationProgram(
            "values that are observed",
            [
                { session in
                    let log = Log()
                    let writer = try session.open()
                    let migrator = log.tables("a", "b")
                    let values = DispatchSemaphore(value: 0)
                    let observation = ValueObservation.tracking { db in
                        try migrator.hasCompletedMigrations(db)
                    }
                    let cancellable = observation.start(
                        in: writer,
                        scheduling: .async(onQueue: DispatchQueue(label: "values")),
                        onError: { _ in },
                        onChange: { value in
                            log.add("completed: \(value)")
                            values.signal()
                        }
                    )
                    values.wait()
                    cancellable.cancel()
                    // A pool may report the first value twice.
                    session.add(log.take()[0])
                    try session.migrate(migrator, log)
                    try writer.close()
                }
            ]
        ),
    ]

    /// Migrations of a file that another process migrates.
    static let processes = [
        MigrationProgram(
            "another process continues",
            [
                { session in session.add("first: \(try session.startPeer("first").wait())") },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
                { session in session.add("all: \(try session.startPeer("all").wait())") },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c", "d"), log)
                },
            ]
        ),
        MigrationProgram(
            "another process is migrating",
            [
                { session in
                    let peer = try session.startPeer("held")
                    session.add(peer.waitForLine())
                    let log = Log()
                    // The other process holds the write lock.
                    try session.migrate(log.tables("a", "b", "c"), log)
                    try peer.release()
                    session.add("held: \(peer.wait())")
                    try session.migrate(log.tables("a", "b", "c"), log)
                }
            ]
        ),
        MigrationProgram(
            "processes that try again",
            [
                { session in
                    session.configuration.busyMode = .timeout(10)
                    let peers = try (0..<3).map { _ in try session.startPeer("retried") }
                    session.add("\(peers.map { $0.wait() })")
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c", "d"), log)
                }
            ]
        ),
        MigrationProgram(
            "a process that is killed",
            [
                { session in
                    let peer = try session.startPeer("held")
                    session.add(peer.waitForLine())
                    peer.kill()
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                }
            ]
        ),
    ]
}
#endif
