import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the errors for files that cannot be opened.
struct OpeningFailureTests {
    private let folder = TemporaryFolder()

    private func explanation(
        of path: String,
        configuration: Configuration = Configuration()
    ) throws -> String {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
        let text = try #require(error).description
        #expect(text.contains("while opening `\(path)`"))
        return text
    }

    @Test func theErrorNamesAMissingFolder() throws {
        let text = try explanation(of: folder.file("a/b.sqlite"))
        #expect(text.contains("the folder `\(folder.file("a"))` does not exist"))
    }

    @Test func aFileInPlaceOfTheFolderIsReported() throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("a")))
        let text = try explanation(of: folder.file("a/b.sqlite"))
        #expect(text.contains("`\(folder.file("a"))` is a file, not a folder"))
    }

    @Test func aFolderInPlaceOfTheFileIsRejected() throws {
        try #expect(explanation(of: folder.path).contains("this is a folder"))
    }

    @Test func aReadOnlyConnectionDoesNotCreateTheFile() throws {
        let configuration = Configuration.with { $0.readonly = true }
        let text = try explanation(of: folder.file(), configuration: configuration)
        #expect(text.contains("a read-only connection does not create it"))
    }

    @Test func aFileThatIsNotADatabaseIsRejected() throws {
        try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: folder.file()))
        let error = #expect(throws: DatabaseError.self) { try DatabaseQueue(path: folder.file()) }
        #expect(error?.message == "file is not a database")
        #expect(error?.description.contains("encrypted or not a database") == true)
    }

    @Test func aTruncatedFileIsReported() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            for number in 0..<2_000 { try db.insert(number) }
        }
        try queue.close()
        let handle = try #require(FileHandle(forWritingAtPath: folder.file()))
        try handle.truncate(atOffset: 4_096)
        try handle.close()
        let text = try explanation(of: folder.file())
        #expect(text.contains("(4096 bytes) is truncated or damaged"))
    }

    @Test(.enabled(if: geteuid() != 0, "root can write to any folder"))
    func theErrorNamesAFolderWithoutWritePermission() throws {
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        try #expect(explanation(of: folder.file()).contains("cannot be created in"))
    }
}
