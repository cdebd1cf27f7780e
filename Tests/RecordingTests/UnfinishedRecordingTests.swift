import Foundation
import SQLiteEngine
import Testing

@testable import Recording

/// Tests recordings whose recorder was killed while it completed the file.
struct UnfinishedRecordingTests {
    /// Copies a recording in the middle of a transaction that has already changed the file, and
    /// calls `body` with the path of the copy.
    private func withUnfinishedRecording(_ body: (String) throws -> Void) throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<300)
            try withFile { copy in
                var configuration = Configuration()
                configuration.prepareDatabase { db in
                    // SQLite writes changed pages to the file before the commit.
                    try db.execute(sql: "PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
                }
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try db.execute(sql: "UPDATE sample SET time_ms = 0")
                        for suffix in ["", "-journal"] {
                            try FileManager.default.copyItem(
                                atPath: path + suffix,
                                toPath: copy + suffix
                            )
                        }
                        return .rollback
                    }
                }
                try queue.close()
                try body(copy)
            }
        }
    }

    @Test func theJournalIsApplied() throws {
        try withUnfinishedRecording { path in
            let rows = try RecordingReader(path: path).contents.rows
            #expect(rows.count == 300)
            #expect(rows.first?.time == Fixture.start)
            #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
        }
    }

    @Test(.enabled(if: getuid() != 0, "permissions do not restrict root"))
    func aReadOnlyFileIsExplained() throws {
        try withUnfinishedRecording { path in
            chmod(path, 0o400)
            let text = refusal { _ = try RecordingReader(path: path) }
            #expect(text?.contains("make the file and its folder writable") == true)
        }
    }
}
