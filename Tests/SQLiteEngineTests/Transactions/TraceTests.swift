import Testing

@testable import SQLiteEngine

struct TraceTests {
    @Test(arguments: [false, true])
    func reportsStatementsWithTheirArgumentsIfAllowed(arePublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = arePublic
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.inDatabase { db in
            var events: [(String, String)] = []
            db.trace { events.append(($0.description, $0.expandedDescription)) }
            try db.execute(sql: " CREATE TABLE t (a); ")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["private"])
            let expanded = "INSERT INTO t VALUES ('private')"
            #expect(events.map(\.0).first == "CREATE TABLE t (a)")
            #expect(events.map(\.0).last == (arePublic ? expanded : "INSERT INTO t VALUES (?)"))
            #expect(events.map(\.1).last == expanded)
            db.trace()
            try db.execute(sql: "DELETE FROM t")
            #expect(events.count == 2)
        }
    }

    @Test func reportsDurations() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            var lines: [String] = []
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else {
                    Issue.record("not a profile")
                    return
                }
                #expect(duration >= 0)
                lines.append(statement.sql)
                #expect(event.description.hasSuffix("s SELECT 1"))
            }
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            #expect(lines == ["SELECT 1"])
            db.trace(options: [.profile, .statement]) { lines.append($0.description) }
            _ = try Int.fetchAll(db, sql: "SELECT 2")
            #expect(lines.count == 3)
        }
    }

    @Test func reportsTheTransactionsOfAccesses() throws {
        let lines = CollectedLines()
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.trace { lines.append($0.description) } }
        let queue = try DatabaseQueue(configuration: configuration)
        lines.removeAll()
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        #expect(
            lines.all == [
                "BEGIN IMMEDIATE TRANSACTION", "CREATE TABLE t (a)", "COMMIT TRANSACTION",
            ]
        )
    }

    @Test func queriesByTheEngineAreNotReported() throws {
        struct Item: Codable, MutablePersistableRecord {
            static let databaseTableName = "item"
            var id: Int64?
            var name: String
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        }
        let lines = CollectedLines()
        try queue.inDatabase { db in
            // The columns of the table are not cached yet, so the engine queries them.
            db.trace { lines.append($0.description) }
            var item = Item(name: "pen")
            try item.insert(db)
            try #expect(db.tableExists("item"))
            // The user's query is reported.
            _ = try String.fetchAll(db, sql: "PRAGMA database_list")
        }
        #expect(lines.all.count == 2)
        #expect(lines.all.first?.hasPrefix("INSERT INTO") == true)
        #expect(lines.all.last == "PRAGMA database_list")
    }
}
