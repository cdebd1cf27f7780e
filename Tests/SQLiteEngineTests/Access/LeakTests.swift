import CSQLite
import Foundation
import Telemetry
import Testing

@testable import SQLiteEngine

/// What many readers and many waiters leave behind: nothing.
///
/// Memory, descriptors and threads are the process's: so each look runs in a process of its own.
@Suite(.timeLimit(.minutes(2)))
struct LeakTests {
    @Test func aPoolOfTwoHundredReadersLeavesNothing() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            // Once, for what is made only once in a process.
            try useTwoHundredReaders(in: folder)
            let descriptors = try openDescriptors()
            let memory = sqlite3_memory_used()
            for _ in 0..<3 {
                try useTwoHundredReaders(in: folder)
                #expect(try openDescriptors() == descriptors)
                #expect(sqlite3_memory_used() == memory)
            }
            // Not a byte: also what was there before is gone.
            #expect(memory == 0)
            #expect(liveDatabases.withLock { $0 } == 0)
        }
    }

    @Test func whatIsKeptIsSeen() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            let descriptors = try openDescriptors()
            let memory = sqlite3_memory_used()
            let statement = try pool.read { db in
                UncheckedBox(try db.makeStatement(sql: "SELECT 1"))
            }
            pool.releaseMemory()
            // The reader's connection lives on with its statement.
            let kept = sqlite3_memory_used()
            #expect(kept > memory)
            #expect(try openDescriptors() > descriptors)
            statement.value = nil
            #expect(sqlite3_memory_used() < kept)
        }
    }

    @Test func fiveHundredTasksOnTwoReadersMakeNoThreadEach() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let pool = try DatabasePool.withTable(
                in: folder,
                configuration: .with { $0.maximumReaderCount = 2 }
            )
            let isInside = Gate()
            let mayLeave = Gate()
            let holders = (0..<2).map { _ in
                Background {
                    try pool.read { db in
                        isInside.open()
                        try mayLeave.wait()
                    }
                }
            }
            for _ in holders { try isInside.wait() }
            let before = try threadCount()
            let reads = (0..<500).map { _ in
                Task { try await pool.read { db in try db.rowCount() } }
            }
            try await eventuallyAsync { pool.status().waitingReaders.count == 500 }
            let waiting = try threadCount()
            for _ in holders { mayLeave.open() }
            var most = 0
            for read in reads {
                #expect(try await read.value == 0)
                most = max(most, try threadCount())
            }
            // The threads of the tasks and of the connections are few, however many wait.
            let cores = ProcessInfo.processInfo.activeProcessorCount
            #expect(waiting - before <= cores + 2)
            #expect(most - before <= 2 * cores + 8)
        }
    }
}

/// Has two hundred readers of a pool read at the same time, and closes it.
private func useTwoHundredReaders(in folder: TemporaryFolder) throws {
    let pool = try DatabasePool(
        path: folder.file(),
        configuration: .with {
            $0.maximumReaderCount = 200
            $0.onConnectionDidOpen { liveDatabases.withLock { $0 += 1 } }
            $0.onConnectionDidClose { liveDatabases.withLock { $0 -= 1 } }
        }
    )
    try pool.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (v UNIQUE); DELETE FROM t")
        for value in 0..<100 { try db.insert(value) }
    }
    let isInside = Gate()
    let mayLeave = Gate()
    let reads = (0..<200).map { value in
        Background {
            try pool.read { db in
                isInside.open()
                try mayLeave.wait()
                return try Int.fetchOne(
                    db.cachedStatement(sql: "SELECT v FROM t WHERE v = ?"),
                    arguments: [value % 100]
                )
            }
        }
    }
    for _ in reads { try isInside.wait() }
    #expect(pool.status().readers?.open == 200)
    for _ in reads { mayLeave.open() }
    for (value, read) in reads.enumerated() { #expect(try read.value() == value % 100) }
    try pool.write { db in try db.insert(100) }
    try pool.close()
}

/// How many connections are open.
private let liveDatabases = Lock(0)

/// How many descriptors the process has.
private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// How many threads the process has.
private func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}
