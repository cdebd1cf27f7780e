import Testing

@testable import SQLiteEngine

struct NotifyChangesTests {
    @Test func notifiesObserversOfTheRegion() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE Player (id, name); CREATE TABLE u (a)")
        }
        let players = RecordingObserver { $0.tableName == "Player" }
        let names = RecordingObserver { kind in
            if case .update("Player", let columns) = kind { columns == ["name"] } else { false }
        }
        queue.add(transactionObserver: players)
        queue.add(transactionObserver: names)
        try queue.write { db in
            try db.notifyChanges(in: DatabaseRegion(table: "PLAYER"))
            #expect(players.takeLog() == ["change"])
            #expect(names.takeLog() == [])
            try db.notifyChanges(in: DatabaseRegion(table: "player", columns: ["name"]))
            #expect(players.takeLog() == ["change"])
            #expect(names.takeLog() == ["change"])
            try db.notifyChanges(in: DatabaseRegion(table: "u"))
            try db.notifyChanges(in: DatabaseRegion(table: "missing"))
            try db.notifyChanges(in: DatabaseRegion())
            #expect(players.takeLog() == [])
            try db.notifyChanges(in: .fullDatabase)
            #expect(players.takeLog() == ["change"])
            players.reaction = { [unowned players] line, _ in
                if line == "change" { players.stopObservingDatabaseChangesUntilNextTransaction() }
            }
            try db.notifyChanges(in: .fullDatabase)
            try db.notifyChanges(in: .fullDatabase)
        }
        #expect(players.takeLog() == ["change", "willCommit", "didCommit"])
        try queue.read { db in try db.notifyChanges(in: .fullDatabase) }
        #expect(players.takeLog() == [])
    }

    @Test func anEmptyTransactionReportsItsCommit() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try queue.writeInTransaction(.deferred) { db in
            try db.notifyChanges(in: DatabaseRegion(table: "t"))
            return .commit
        }
        #expect(observer.takeLog() == ["change", "willCommit", "didCommit"])
    }
}
