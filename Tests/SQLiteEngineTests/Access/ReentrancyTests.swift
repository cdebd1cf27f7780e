import SQLiteEngine
import TestSupport
import Testing

/// Tests that illegally nested accesses stop the program with an explanation.
struct ReentrancyTests {
    /// A folder that only the parent process removes, not the child process of an exit test.
    private let folder = TemporaryFolder()
    private static let message = "Database methods are not reentrant."

    @Test func aReadInsideAReadOfAPoolStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.read { _ in try pool.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aReadInsideAnUnsafeReadOfAPoolStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.unsafeRead { _ in try pool.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aWriteInsideAWriteOfAPoolStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.write { _ in pool.writeWithoutTransaction { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aWriteInsideAReadInsideAWriteOfAPoolStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.write { _ in try pool.read { _ in try pool.write { _ in } } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aReadInsideAnAsyncReadOfAPoolStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try await pool.read { _ in try pool.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func anAccessInsideAnAccessOfAQueueStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let queue = try DatabaseQueue()
            try queue.write { _ in try queue.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func anAccessInsideAnAccessOfASnapshotStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let snapshot = try DatabasePool(path: path).makeSnapshot()
            snapshot.read { _ in snapshot.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aReadInsideABarrierStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.barrierWriteWithoutTransaction { _ in try pool.read { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aBarrierInsideABarrierStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.barrierWriteWithoutTransaction { _ in
                try pool.barrierWriteWithoutTransaction { _ in }
            }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func aBarrierInsideAReadStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.read { _ in try pool.barrierWriteWithoutTransaction { _ in } }
        }
        #expect(result?.message.contains(Self.message) == true)
    }

    @Test func closingInsideAnAccessStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.write { _ in try pool.close() }
        }
        #expect(result?.message.contains(Self.message) == true)
    }
}
