import SQLiteEngine
import TestSupport
import Testing

/// Tests that illegally nested accesses stop the program with an explanation.
struct ReentrancyTests {
    /// A folder that only the parent process removes, not the child process of an exit test.
    private let folder = TemporaryFolder()
    private static let message = "Database methods are not reentrant."

    /// An access, and the access inside it.
    enum Nesting: String, CaseIterable, Codable, Sendable {
        case readInRead
        case readInUnsafeRead
        case readInAsyncRead
        case writeInWrite
        case writeInReadInWrite
        case readInBarrier
        case barrierInBarrier
        case barrierInRead
        case closeInWrite
        case readInWriteOfAQueue
        case writeInWriteOfAQueue
        case readInReadOfASnapshot

        func perform(at path: String) async throws {
            if self == .readInAsyncRead {
                let pool = try DatabasePool(path: path)
                try await pool.read { _ in try pool.read { _ in } }
            } else {
                try performSynchronously(at: path)
            }
        }

        private func performSynchronously(at path: String) throws {
            let pool = try DatabasePool(path: path)
            let queue = try DatabaseQueue()
            switch self {
            case .readInAsyncRead: break
            case .readInRead: try pool.read { _ in try pool.read { _ in } }
            case .readInUnsafeRead: try pool.unsafeRead { _ in try pool.read { _ in } }
            case .writeInWrite: try pool.write { _ in pool.writeWithoutTransaction { _ in } }
            case .writeInReadInWrite:
                try pool.write { _ in try pool.read { _ in try pool.write { _ in } } }
            case .readInBarrier:
                try pool.barrierWriteWithoutTransaction { _ in try pool.read { _ in } }
            case .barrierInBarrier:
                try pool.barrierWriteWithoutTransaction { _ in
                    try pool.barrierWriteWithoutTransaction { _ in }
                }
            case .barrierInRead:
                try pool.read { _ in try pool.barrierWriteWithoutTransaction { _ in } }
            case .closeInWrite: try pool.write { _ in try pool.close() }
            case .readInWriteOfAQueue: try queue.write { _ in try queue.read { _ in } }
            case .writeInWriteOfAQueue: try queue.write { _ in try queue.write { _ in } }
            case .readInReadOfASnapshot:
                let snapshot = try pool.makeSnapshot()
                snapshot.read { _ in snapshot.read { _ in } }
            }
        }
    }

    @Test(arguments: Nesting.allCases)
    func anAccessInsideAnAccessStopsTheProgram(nesting: Nesting) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String, nesting] in
            endProcessAfterTimeout()
            try await nesting.perform(at: path)
        }
        #expect(result?.message.contains(Self.message) == true)
    }
}
