import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests in-memory databases and copies.
struct MemoryDatabaseTests {
    private let folder = TemporaryFolder()

    @Test func queuesWithoutANameShareNothing() throws {
        let first = try DatabaseQueue.withTable()
        let second = try DatabaseQueue()
        #expect(first.path == ":memory:")
        #expect(throws: DatabaseError.self) { try second.rowCount() }
    }

    @Test(arguments: ["shop", "half 100%?#&.sqlite"])
    func queuesWithANameShareADatabase(name: String) throws {
        let name = name + folder.path
        var first: DatabaseQueue? = try DatabaseQueue(named: name)
        try first?.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        var second: DatabaseQueue? = try DatabaseQueue(named: name)
        try second?.write { db in try db.insert(1) }
        try #expect(first?.rowCount() == 1)
        first = nil
        try #expect(second?.rowCount() == 1)
        second = nil
        let third = try DatabaseQueue(named: name)
        #expect(throws: DatabaseError.self) { try third.rowCount() }
        #expect(!FileManager.default.fileExists(atPath: name))
    }

    @Test func copiesAreIndependentOfTheirFile() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        try queue.write { db in try db.insert(1) }
        let copies = [
            try DatabaseQueue.inMemoryCopy(fromPath: folder.file()),
            try DatabaseQueue.temporaryCopy(fromPath: folder.file()),
        ]
        for copy in copies {
            try copy.write { db in try db.insert(2) }
            try #expect(copy.rowCount() == 2)
        }
        try #expect(queue.rowCount() == 1)
        try queue.write { db in try db.insert(3) }
        for copy in copies { try #expect(copy.rowCount() == 2) }
    }

    @Test func readOnlyCopiesCannotBeWritten() throws {
        try DatabaseQueue(path: folder.file()).write { db in
            try db.execute(sql: "CREATE TABLE t (v UNIQUE)")
        }
        let configuration = Configuration.with { $0.readonly = true }
        let copies = [
            try DatabaseQueue.inMemoryCopy(
                fromPath: folder.file(),
                configuration: configuration
            ),
            try DatabaseQueue.temporaryCopy(
                fromPath: folder.file(),
                configuration: configuration
            ),
        ]
        for copy in copies {
            let error = #expect(throws: DatabaseError.self) {
                try copy.write { db in try db.insert(1) }
            }
            #expect(error?.resultCode == .SQLITE_READONLY)
            try #expect(copy.rowCount() == 0)
        }
    }

    @Test func aCopyOfAMissingFileThrows() {
        let path = folder.file("nothing.sqlite")
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue.inMemoryCopy(fromPath: path)
        }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        #expect(error?.description.contains(path) == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
