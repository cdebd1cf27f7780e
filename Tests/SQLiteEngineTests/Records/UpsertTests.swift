import Testing

@testable import SQLiteEngine

struct UpsertTests {
    private struct Member: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var email: String
        var name: String
        var visits = 0

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func encode(to container: inout PersistenceContainer) throws {
            container["id"] = id
            container["email"] = email
            container["name"] = name
        }
    }

    private struct Tag: Codable, FetchableRecord, PersistableRecord {
        var key: String
        var value: Int
    }

    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "member") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("email", .text).unique()
                t.column("name", .text).notNull()
                t.column("visits", .integer).notNull().defaults(to: 3)
            }
            try db.create(table: "tag", options: .withoutRowID) { t in
                t.primaryKey("key", .text)
                t.column("value", .integer)
            }
        }
    }

    @Test func upsertingInsertsOrUpdatesTheConflictingRow() throws {
        try queue.write { db in
            var first = Member(email: "a@b", name: "Ada")
            try first.upsert(db)
            #expect(first.id == 1)
            var other = Member(email: "c@d", name: "Other")
            try other.insert(db)
            // The address is the same and the record has no key, so the record receives the key of
            // the row.
            var again = Member(email: "a@b", name: "Ada L.")
            let row = try again.upsertAndFetch(db)
            #expect(again.id == 1 && row == Member(id: 1, email: "a@b", name: "Ada L.", visits: 3))
            #expect(try Member.fetchCount(db) == 2)
        }
    }

    @Test func onlyTheSpecifiedKeyMayConflict() throws {
        try queue.write { db in
            var first = Member(email: "a@b", name: "Ada")
            try first.insert(db)
            var wrong = Member(email: "a@b", name: "B")
            let error = #expect(throws: DatabaseError.self) {
                try wrong.upsertAndFetch(db, onConflict: ["id"])
            }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            var right = Member(email: "a@b", name: "B")
            #expect(try right.upsertAndFetch(db, onConflict: ["email"]).name == "B")
            var late = Member(email: "a@b", name: "C")
            let row = try late.upsertAndFetch(db, updating: .noColumnUnlessSpecified)
            #expect(row.name == "B" && row.id == 1)
        }
    }

    @Test func tablesWithoutRowIDsAreSupported() throws {
        try queue.write { db in
            try Tag(key: "a", value: 1).upsert(db)
            try Tag(key: "a", value: 2).upsert(db)
            #expect(try Tag(key: "a", value: 3).upsertAndFetch(db).value == 3)
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM tag") == [3])
        }
    }

    @Test func changesAreWrittenAndReturned() throws {
        try queue.write { db in
            var member = Member(email: "a@b", name: "Ada")
            try member.insert(db)
            let same = try member.updateChangesAndFetch(db) { $0.name = "Ada" }
            #expect(same == nil)
            let changed = try member.updateChangesAndFetch(db) { $0.name = "B" }
            #expect(changed == Member(id: 1, email: "a@b", name: "B", visits: 3))
            let visits = try member.updateChangesAndFetch(
                db,
                selection: [Column("visits")],
                fetch: { try Int.fetchOne($0) },
                modify: { $0.name = "C" }
            )
            #expect(visits == 3)
            let name = try member.updateAndFetch(
                db,
                columns: ["email"],
                selection: [Column("name")]
            ) { try String.fetchOne($0) }
            #expect(name == "C")
            var missing = Member(id: 9, email: "x", name: "X")
            #expect(throws: RecordError.self) {
                try missing.updateChangesAndFetch(db) { $0.name = "Y" }
            }
        }
    }
}
