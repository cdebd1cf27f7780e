import SQLiteEngine
import Telemetry
import Testing

/// Runs the samples in `DatabaseReader`.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseReaderSampleTests {
    let sample = SampleDatabase()

    @Test func everyReaderReads() throws {
        for reader in try sample.makeReaders() {
            let count = try reader.read { db in
                try SamplePlayer.fetchCount(db)
            }
            #expect(count == 2)
        }
    }

    @Test func everyReaderReadsAsynchronously() async throws {
        for reader in try sample.makeReaders() {
            let count = try await reader.read { db in
                try SamplePlayer.fetchCount(db)
            }
            #expect(count == 2)
        }
    }

    @Test func everyReaderReadsWithACallback() throws {
        for reader in try sample.makeReaders() {
            let count = Outcome<Int>()
            reader.asyncRead { dbResult in
                count.set {
                    let db = try dbResult.get()
                    return try SamplePlayer.fetchCount(db)
                }
            }
            try #expect(count.get() == 2)
        }
    }

    @Test func everyReaderReadsWithoutTransaction() async throws {
        for reader in try sample.makeReaders() {
            let count = try countSynchronously(reader)
            #expect(count == 2)
            let asyncCount = try await reader.unsafeRead { db in
                try SamplePlayer.fetchCount(db)
            }
            #expect(asyncCount == 2)
        }
    }

    private func countSynchronously(_ reader: any DatabaseReader) throws -> Int {
        try reader.unsafeRead { db in
            try SamplePlayer.fetchCount(db)
        }
    }

    @Test func everyReaderReadsWithoutTransactionWithACallback() throws {
        for reader in try sample.makeReaders() {
            let count = Outcome<Int>()
            reader.asyncUnsafeRead { dbResult in
                count.set {
                    let db = try dbResult.get()
                    return try SamplePlayer.fetchCount(db)
                }
            }
            try #expect(count.get() == 2)
        }
    }

    @Test func everyReaderReadsInsideARead() throws {
        for reader in try sample.makeReaders() {
            try reader.read { _ in
                let count = try reader.unsafeReentrantRead { db in
                    try SamplePlayer.fetchCount(db)
                }
                #expect(count == 2)
            }
        }
    }

    @Test func everyReaderCanBeBackedUp() throws {
        for source in try sample.makeReaders() {
            let destination = try DatabaseQueue()
            try source.backup(to: destination)
            try #expect(destination.read { db in try SamplePlayer.fetchCount(db) } == 2)
        }
    }

    @Test func aBackupReportsItsProgress() throws {
        for source in try sample.makeReaders() {
            let destination = try DatabaseQueue()
            var steps: [DatabaseBackupProgress] = []
            try source.backup(to: destination, pagesPerStep: 1) { progress in
                steps.append(progress)
            }
            #expect(steps.count > 1)
            #expect(steps.last?.isCompleted == true)
            #expect(steps.last.map { $0.completedPageCount == $0.totalPageCount } == true)
        }
    }

    // MARK: Interrupts

    /// Interrupts the next insertion of a player on the writer.
    private func interruptNextInsertion(in writer: any DatabaseWriter) throws {
        let interruption = Interruption()
        try interruption.install(in: writer)
        interruption.arm()
    }

    private func errorCode(_ body: () throws -> Void) -> ResultCode? {
        #expect(throws: DatabaseError.self, performing: body)?.resultCode
    }

    @Test func anInterruptionEndsAWrite() throws {
        for writer in try sample.makeWriters() {
            try interruptNextInsertion(in: writer)
            let error = errorCode {
                try writer.write { db in
                    try SamplePlayer(name: "Arthur").insert(db)
                    Issue.record("not executed")
                }
            }
            #expect(error == .SQLITE_INTERRUPT)
        }
    }

    @Test func anInterruptedWriteThatContinuesIsAborted() throws {
        for writer in try sample.makeWriters() {
            try interruptNextInsertion(in: writer)
            let error = errorCode {
                try writer.write { db in
                    let first = errorCode { try SamplePlayer(name: "Arthur").insert(db) }
                    #expect(first == .SQLITE_INTERRUPT)
                    try SamplePlayer(name: "Barbara").insert(db)
                }
            }
            #expect(error == .SQLITE_ABORT)
        }
    }

    @Test func anInterruptedWriteThatReturnsIsAborted() throws {
        for writer in try sample.makeWriters() {
            try interruptNextInsertion(in: writer)
            let error = errorCode {
                try writer.write { db in
                    let first = errorCode { try SamplePlayer(name: "Arthur").insert(db) }
                    #expect(first == .SQLITE_INTERRUPT)
                }
            }
            #expect(error == .SQLITE_ABORT)
            try #expect(writer.read { db in try SamplePlayer.fetchCount(db) } == 0)
        }
    }

    @Test func anInterruptedManualTransactionContinuesWithoutTransaction() throws {
        for writer in try sample.makeWriters() {
            try interruptNextInsertion(in: writer)
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                let first = errorCode { try SamplePlayer(name: "Arthur").insert(db) }
                #expect(first == .SQLITE_INTERRUPT)
                try SamplePlayer(name: "Barbara").insert(db)
                let error = #expect(throws: DatabaseError.self) { try db.commit() }
                #expect(error?.resultCode == .SQLITE_ERROR)
                #expect(error?.message == "cannot commit - no transaction is active")
            }
            try #expect(writer.read { db in try SamplePlayer.fetchCount(db) } == 1)
        }
    }
}
