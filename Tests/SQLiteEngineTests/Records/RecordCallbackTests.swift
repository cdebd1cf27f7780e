import SQLiteEngine
import Telemetry
import Testing

struct RecordCallbackTests {
    /// The callbacks of a test, in order.
    private final class Log: Sendable {
        let lines = Lock<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private struct Watched: Encodable, MutablePersistableRecord {
        enum CodingKeys: CodingKey { case id, name }
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        let log: Log

        func willInsert(_ db: Database) { log.add("willInsert") }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            log.add("aroundInsert")
            _ = try insert()
            log.add("insertAround")
        }
        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
            log.add("didInsert \(inserted.rowIDColumn ?? "-")")
        }
        func willUpdate(_ db: Database, columns: Set<String>) {
            log.add("willUpdate \(columns.sorted())")
        }
        func aroundUpdate(
            _ db: Database,
            columns: Set<String>,
            update: () throws -> PersistenceSuccess
        ) throws {
            log.add("aroundUpdate")
            _ = try update()
            log.add("updateAround")
        }
        func didUpdate(_ updated: PersistenceSuccess) { log.add("didUpdate") }
        func willSave(_ db: Database) { log.add("willSave") }
        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            log.add("aroundSave")
            _ = try save()
            log.add("saveAround")
        }
        func didSave(_ saved: PersistenceSuccess) { log.add("didSave") }
        func willDelete(_ db: Database) { log.add("willDelete") }
        func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
            log.add("aroundDelete")
            _ = try delete()
            log.add("deleteAround")
        }
        func didDelete(deleted: Bool) { log.add("didDelete \(deleted)") }
    }

    @Test func eachOperationCallsItsCallbacksInOrder() throws {
        try Player.makeEmptyQueue().write { db in
            let log = Log()
            var record = Watched(name: "a", log: log)
            try record.insert(db)
            let insertion = [
                "willInsert", "aroundInsert", "insertAround", "didInsert id",
            ]
            #expect(
                log.take()
                    == ["willSave", "aroundSave"] + insertion + ["saveAround", "didSave"]
            )
            try record.update(db, columns: ["name"])
            #expect(
                log.take() == [
                    "willSave", "aroundSave", #"willUpdate ["name"]"#, "aroundUpdate",
                    "updateAround", "didUpdate", "saveAround", "didSave",
                ]
            )
            try record.delete(db)
            #expect(
                log.take() == ["willDelete", "aroundDelete", "deleteAround", "didDelete true"]
            )
            try record.save(db)
            #expect(
                log.take()
                    == [
                        "willSave", "aroundSave", #"willUpdate ["id", "name", "score"]"#,
                        "aroundUpdate",
                    ] + insertion + ["saveAround", "didSave"]
            )
        }
    }

    @Test func anErrorEndsTheOperationBeforeDidInsert() throws {
        try Player.makeEmptyQueue().write { db in
            let log = Log()
            var record = Watched(name: "a", log: log)
            try record.insert(db)
            _ = log.take()
            var other = Watched(name: "a", log: log)
            #expect(throws: DatabaseError.self) { try other.insert(db) }
            #expect(log.take() == ["willSave", "aroundSave", "willInsert", "aroundInsert"])
            #expect(other.id == nil)
        }
    }

    @Test func aroundInsertWithoutAnInsertionThrows() throws {
        struct Skipping: Encodable, PersistableRecord {
            static let databaseTableName = "player"
            var name: String
            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) {}
        }
        try Player.makeEmptyQueue().write { db in
            let error = #expect(throws: DatabaseError.self) { try Skipping(name: "a").insert(db) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.hasPrefix("Skipping.aroundInsert returned") == true)
            try #expect(Player.fetchCount(db) == 0)
        }
    }

    @Test func aRecordMayChangeBeforeItIsInserted() throws {
        struct Stamped: Codable, MutablePersistableRecord, FetchableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            var name: String
            mutating func willInsert(_ db: Database) { name += "!" }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try Player.makeEmptyQueue().write { db in
            let record = try Stamped(name: "a").inserted(db)
            #expect(record.name == "a!")
            try #expect(Stamped.fetchAll(db).map(\.name) == ["a!"])
        }
    }

    @Test func aClassCanBeARecord() throws {
        final class Node: Codable, PersistableRecord, FetchableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            let name: String
            init(name: String) { self.name = name }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try Player.makeEmptyQueue().write { db in
            let node = Node(name: "a")
            try node.insert(db)
            #expect(node.id == 1)
            try node.save(db)
            try #expect(Node.fetchAll(db).map(\.name) == ["a"])
        }
    }
}
