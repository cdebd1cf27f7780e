import Dispatch
import Foundation
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples in "Sharing a database between processes".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedSharingTests {
    private let documented = DocumentedDatabase()
    private var path: String { documented.path }

    @Test func waitingForTheOtherWriter() throws {
        _ = try documented.makePool()
        // sample
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: path, configuration: configuration)
        // end
        let other = try DatabasePool(path: path)
        let (isWriting, mayEnd) = (Gate(), Gate())
        let writing = Background {
            try other.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Barbara')")
                isWriting.open()
                try mayEnd.wait()
            }
        }
        try isWriting.wait()
        let waiting = Background {
            try pool.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
            }
        }
        try eventually { pool.status().busyCount > 0 }
        mayEnd.open()
        try writing.value()
        try waiting.value()
        var printed = ""
        func print(_ items: Any...) { printed = items.map { "\($0)" }.joined(separator: " ") }
        // sample
        let status = pool.status()
        let waited = status.busyWaitNanoseconds ?? 0
        print(status.busyCount, "lock conflicts;", waited, "ns spent waiting")
        // end
        #expect(printed.contains("lock conflicts"))
    }

    @Test func readingOnly() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabasePool(path: path, configuration: configuration)
        // end
        let count = try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 3)
        withExtendedLifetime(pool) {}
    }

    @Test func settingUpTwice() throws {
        for _ in 1...2 {
            let pool = try DatabasePool(path: path)
            // sample
            try pool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS player (
                            id INTEGER PRIMARY KEY,
                            name TEXT NOT NULL,
                            score INTEGER NOT NULL DEFAULT 0
                        )
                        """
                )
            }
            // end
            #expect(try pool.read { try $0.tableExists("player") })
        }
    }

    @Test func detectingChangesByOtherProcesses() throws {
        // sample
        func notifyOfChangesByOtherProcesses(_ pool: DatabasePool, lastSeen: inout Int?) throws {
            let version = try pool.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "PRAGMA data_version")
            }
            guard version != lastSeen else { return }
            lastSeen = version
            try pool.write { db in try db.notifyChanges(in: .fullDatabase) }
        }
        // end
        let pool = try documented.makePool()
        let other = try DatabasePool(path: path)
        var lastSeen: Int?
        try notifyOfChangesByOtherProcesses(pool, lastSeen: &lastSeen)
        let received = Lock(-1)
        let cancellable = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1
        }
        .start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
            onError: { Issue.record($0) },
            onChange: { count in received.withLock { $0 = count } }
        )
        try eventually { received.withLock { $0 == 0 } }
        try other.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        try notifyOfChangesByOtherProcesses(pool, lastSeen: &lastSeen)
        try eventually { received.withLock { $0 == 1 } }
        cancellable.cancel()
    }

    // Notifications reach every database that observes them, so the test uses a separate process.
    @Test func suspending() async {
        await #expect(processExitsWith: .success) {
            let documented = DocumentedDatabase()
            let path = documented.path
            _ = try documented.makePoolWithThreePlayers()
            // sample
            var configuration = Configuration()
            configuration.observesSuspensionNotifications = true
            let pool = try DatabasePool(path: path, configuration: configuration)

            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            // Reads continue; a write throws SQLITE_ABORT, "Database is suspended".
            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            // end
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            _ = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
            do {
                try pool.write { try $0.execute(sql: "DELETE FROM player") }
                exit(1)
            } catch DatabaseError.SQLITE_ABORT {
                NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            }
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
        }
    }

    @Test func endingReadsBeforeTheSuspension() async {
        await #expect(processExitsWith: .success) {
            let documented = DocumentedDatabase()
            let pool = try documented.makePoolWithThreePlayers()
            let isReading = Gate()
            let reading = Background {
                try pool.read { db in
                    db.add(
                        function: DatabaseFunction("begin", argumentCount: 0) { _ in
                            isReading.open()
                            return nil
                        }
                    )
                    let sql = """
                        WITH RECURSIVE c(i) AS (SELECT begin() UNION ALL SELECT 1 FROM c)
                        SELECT COUNT(*) FROM c
                        """
                    return try Int.fetchOne(db, sql: sql)
                }
            }
            try isReading.wait()
            // sample
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            pool.interrupt()
            try pool.barrierWriteWithoutTransaction { _ in }  // returns when no access is running
            // end
            #expect(throws: DatabaseError.self) { try reading.value() }
            #expect(pool.status().readers?.inUse == 0)
        }
    }
}
