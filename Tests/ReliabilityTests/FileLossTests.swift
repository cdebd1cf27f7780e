import CSQLite
import FaultPaths
import Foundation
import SQLiteEngine
import Testing

/// Replaces, truncates, or removes the files of a database while it is open.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FileLossTests {
    private let folder: FaultFolder

    init() throws { folder = try FaultFolder() }

    private func open(_ subject: Subject, _ rows: inout WrittenRows) throws -> any DatabaseWriter {
        let writer = try subject.open(folder.database)
        try WrittenRows.create(in: writer)
        try rows.write(writer)
        return writer
    }

    /// Returns the text of the `DatabaseError` that `body` throws.
    private func errorDescription(_ body: () throws -> Void) -> String? {
        do { try body() } catch let error as DatabaseError { return error.description } catch {
            return "another error: \(error)"
        }
        return nil
    }

    private func replaceFile() throws {
        let other = folder.url.appendingPathComponent("other.sqlite").path
        let queue = try DatabaseQueue(path: other)
        try queue.write { try $0.execute(sql: "CREATE TABLE other(x)") }
        try queue.close()
        #expect(rename(other, folder.database) == 0)
    }

    @Test func aQueueDoesNotWriteToAReplacedFile() throws {
        var rows = WrittenRows()
        let queue = try open(.queue, &rows)
        try replaceFile()
        // The connection still reads the original file.
        #expect(try queue.read { try rows.contradiction(in: $0) } == nil)
        let text = errorDescription { try rows.write(queue) } ?? ""
        #expect(text.contains("another file has replaced the database file while it was open"))
        #expect(text.contains("close the database, and open it again"))
        try queue.close()
        let reopened = try DatabaseQueue(path: folder.database)
        #expect(try reopened.read { try $0.tableExists("other") })
    }

    /// A new reader would combine the new file with the log of the original file.
    @Test func aPoolOpensNoConnectionToAReplacedFile() throws {
        var rows = WrittenRows()
        let writer = try open(.pool, &rows)
        let pool = try #require(writer as? DatabasePool)
        try replaceFile()
        // The open connection still reads the original file.
        #expect(try pool.writeWithoutTransaction { try rows.contradiction(in: $0) } == nil)
        let expected = "another file has replaced the database file while it was open"
        let attempts: [() throws -> Void] = [
            { try rows.write(pool) },
            { _ = try pool.read { try $0.tableExists("t") } },
            { _ = try pool.makeSnapshot() },
            { _ = try pool.makeSnapshotPool() },
        ]
        for attempt in attempts { #expect(errorDescription(attempt)?.contains(expected) == true) }
        #expect(
            errorDescription(attempts[0])?.contains("close the database, and open it again") == true
        )
        try pool.close()
    }

    @Test func aPoolReopensReadersOfTheSameFile() throws {
        var rows = WrittenRows()
        let writer = try open(.pool, &rows)
        let pool = try #require(writer as? DatabasePool)
        for _ in 0..<2 {
            #expect(try pool.read { try rows.contradiction(in: $0) } == nil)
            pool.releaseMemory()
        }
        try pool.close()
    }

    @Test(arguments: Subject.allCases)
    func theErrorExplainsARemovedFolder(subject: Subject) throws {
        var rows = WrittenRows()
        let writer = try open(subject, &rows)
        if subject == .pool { _ = try writer.read { try $0.tableExists("t") } }
        try FileManager.default.removeItem(at: folder.url)
        // Open connections still use the removed files.
        #expect(try writer.read { try rows.contradiction(in: $0) } == nil)
        let problem = errorDescription { try rows.write(writer) } ?? ""
        #expect(problem.contains("the database file was removed or renamed while it was open"))
        if let pool = writer as? DatabasePool {
            let text = errorDescription { _ = try pool.makeSnapshot() } ?? ""
            #expect(text.contains("does not exist; create it first"))
        }
        try writer.close()
        let text = errorDescription { _ = try subject.open(folder.database) } ?? ""
        #expect(text.contains("the folder `\(folder.url.path)` does not exist; create it first"))
    }

    /// SQLite does not detect every truncation, but no access may end the process.
    @Test(arguments: Subject.allCases, [0, 1, 4_096, 5_000, 12_288])
    func aTruncatedFileCausesOnlyDatabaseErrors(subject: Subject, size: Int) throws {
        let memory = sqlite3_memory_used()
        var failures = 0
        do {
            var rows = WrittenRows()
            let writer = try open(subject, &rows)
            for _ in 0..<40 { try rows.write(writer) }
            if subject == .pool {
                try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            }
            #expect(truncate(folder.database, off_t(size)) == 0)
            let attempts: [() throws -> Void] = [
                { _ = try writer.read { try Row.fetchAll($0, sql: "SELECT * FROM t") } },
                {
                    let check = try writer.read {
                        try String.fetchAll($0, sql: "PRAGMA integrity_check")
                    }
                    if check != ["ok"] { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
                },
                { try rows.write(writer) },
                { try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } },
                { try writer.close() },
            ]
            for attempt in attempts {
                guard let text = errorDescription(attempt) else { continue }
                failures += 1
                #expect(text.hasPrefix("SQLite error "), "\(text)")
            }
        }
        #expect(failures > 0)
        #expect(isEventually { folder.openFiles == [] && sqlite3_memory_used() <= memory })
        // Opening the truncated file either succeeds or fails with an error that suggests a remedy.
        let text = errorDescription { try subject.open(folder.database).close() }
        if let text { #expect(text.contains("while opening `\(folder.database)`: "), "\(text)") }
    }
}
