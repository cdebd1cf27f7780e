import CSQLite
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that many readers and waiters release all their resources.
///
/// Memory, descriptors, and threads belong to a process, so each test uses a separate process.
@Suite(.timeLimit(.minutes(2)))
struct LeakTests {
    @Test func aPoolOfTwoHundredReadersReleasesEverything() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            // The first run allocates everything that exists once per process.
            try useTwoHundredReaders(in: folder)
            let descriptors = try openDescriptors()
            let memory = sqlite3_memory_used()
            for _ in 0..<3 {
                try useTwoHundredReaders(in: folder)
                #expect(try openDescriptors() == descriptors)
                #expect(sqlite3_memory_used() == memory)
            }
            // All bytes are released, including allocations from before the test.
            #expect(memory == 0)
            #expect(openConnectionCount.withLock { $0 } == 0)
        }
    }

    @Test func aRetainedStatementIsDetected() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            let descriptors = try openDescriptors()
            let memory = sqlite3_memory_used()
            let statement = try pool.read { db in
                UncheckedBox(try db.makeStatement(sql: "SELECT 1"))
            }
            pool.releaseMemory()
            // The statement keeps the reader's connection alive.
            let memoryWithStatement = sqlite3_memory_used()
            #expect(memoryWithStatement > memory)
            #expect(try openDescriptors() > descriptors)
            statement.value = nil
            #expect(sqlite3_memory_used() < memoryWithStatement)
        }
    }

    @Test func fiveHundredTasksOnTwoReadersCreateFewThreads() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let pool = try DatabasePool.withTable(
                in: folder,
                configuration: .with { $0.maximumReaderCount = 2 }
            )
            let isInside = Gate()
            let mayEnd = Gate()
            let holders = (0..<2).map { _ in
                Background {
                    try pool.read { db in
                        isInside.open()
                        try mayEnd.wait()
                    }
                }
            }
            for _ in holders { try isInside.wait() }
            let threadCountBefore = try threadCount()
            let reads = (0..<500).map { _ in
                Task { try await pool.read { db in try db.rowCount() } }
            }
            try await eventuallyAsync { pool.status().waitingReaders.count == 500 }
            let threadCountWhileWaiting = try threadCount()
            for _ in holders { mayEnd.open() }
            var maximumThreadCount = 0
            for read in reads {
                #expect(try await read.value == 0)
                maximumThreadCount = max(maximumThreadCount, try threadCount())
            }
            // The number of threads does not depend on the number of waiters.
            let cores = ProcessInfo.processInfo.activeProcessorCount
            #expect(threadCountWhileWaiting - threadCountBefore <= cores + 2)
            #expect(maximumThreadCount - threadCountBefore <= 2 * cores + 8)
        }
    }
}

/// Uses two hundred readers of a pool simultaneously, and closes the pool.
private func useTwoHundredReaders(in folder: TemporaryFolder) throws {
    let pool = try DatabasePool(
        path: folder.file(),
        configuration: .with {
            $0.maximumReaderCount = 200
            $0.onConnectionDidOpen { openConnectionCount.withLock { $0 += 1 } }
            $0.onConnectionDidClose { openConnectionCount.withLock { $0 -= 1 } }
        }
    )
    try pool.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (v UNIQUE); DELETE FROM t")
        for value in 0..<100 { try db.insert(value) }
    }
    let isInside = Gate()
    let mayEnd = Gate()
    let reads = (0..<200).map { value in
        Background {
            try pool.read { db in
                isInside.open()
                try mayEnd.wait()
                return try Int.fetchOne(
                    db.cachedStatement(sql: "SELECT v FROM t WHERE v = ?"),
                    arguments: [value % 100]
                )
            }
        }
    }
    for _ in reads { try isInside.wait() }
    #expect(pool.status().readers?.open == 200)
    for _ in reads { mayEnd.open() }
    for (value, read) in reads.enumerated() { #expect(try read.value() == value % 100) }
    try pool.write { db in try db.insert(100) }
    try pool.close()
}

/// The number of open connections.
private let openConnectionCount = Lock(0)

/// Returns the number of open descriptors in the process.
private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// Returns the number of threads in the process.
private func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}
