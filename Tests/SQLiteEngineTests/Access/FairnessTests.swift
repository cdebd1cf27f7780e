import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct FairnessTests {
    private let folder = TemporaryFolder()

    @Test func sixteenThreadsShareOneReaderFairly() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let counts = Lock([Int](repeating: 0, count: 16))
        let hasEnded = Lock(false)
        let threads = (0..<16).map { number in
            Background {
                while !hasEnded.withLock({ $0 }) {
                    _ = try pool.rowCount()
                    counts.withLock { $0[number] += 1 }
                }
            }
        }
        defer { hasEnded.withLock { $0 = true } }
        // All threads continue until each has read at least 20 times.
        try eventually { counts.withLock { $0.allSatisfy { $0 >= 20 } } }
        hasEnded.withLock { $0 = true }
        for thread in threads { try thread.value() }
        #expect(pool.status().waitingReaders.isEmpty)
        #expect(pool.status().readers?.peak == 1)
    }

    @Test func tasksAcquireTheWriterWhileThreadsCompeteForIt() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hasEnded = Lock(false)
        let threads = (0..<4).map { _ in
            Background {
                while !hasEnded.withLock({ $0 }) { try pool.write { db in _ = try db.rowCount() } }
            }
        }
        defer { hasEnded.withLock { $0 = true } }
        for value in 0..<20 { try await pool.write { db in try db.insert(value) } }
        hasEnded.withLock { $0 = true }
        try await eventuallyAsync { threads.allSatisfy(\.isDone) }
        #expect(try pool.rowCount() == 20)
    }
}
