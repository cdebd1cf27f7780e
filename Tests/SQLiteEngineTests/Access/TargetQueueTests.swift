import Dispatch
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the target queues of a configuration.
@Suite(.timeLimit(.minutes(1)))
struct TargetQueueTests {
    private let folder = TemporaryFolder()

    @Test func accessesRunOnTheirTargetQueue() throws {
        let readQueue = DispatchQueue(label: "reading")
        let writeQueue = DispatchQueue(label: "writing")
        let configuration = Configuration.with {
            $0.targetQueue = readQueue
            $0.writeTargetQueue = writeQueue
        }
        let pool = try DatabasePool.withTable(in: folder, configuration: configuration)
        try pool.read { _ in dispatchPrecondition(condition: .onQueue(readQueue)) }
        try pool.unsafeRead { _ in dispatchPrecondition(condition: .onQueue(readQueue)) }
        try pool.write { _ in dispatchPrecondition(condition: .onQueue(writeQueue)) }
        pool.writeWithoutTransaction { _ in dispatchPrecondition(condition: .onQueue(writeQueue)) }
        let snapshot = try pool.makeSnapshot()
        snapshot.read { _ in dispatchPrecondition(condition: .onQueue(readQueue)) }
        try pool.makeSnapshotPool().read { _ in
            dispatchPrecondition(condition: .onQueue(readQueue))
        }
        let queue = try DatabaseQueue.withTable(configuration: configuration)
        try queue.read { _ in dispatchPrecondition(condition: .onQueue(writeQueue)) }
        try queue.write { _ in dispatchPrecondition(condition: .onQueue(writeQueue)) }
    }

    @Test func asyncAccessesRunOnTheirTargetQueue() async throws {
        let target = DispatchQueue(label: "target")
        let configuration = Configuration.with { $0.targetQueue = target }
        let pool = try DatabasePool.withTable(in: folder, configuration: configuration)
        try await pool.read { _ in dispatchPrecondition(condition: .onQueue(target)) }
        try await pool.write { _ in dispatchPrecondition(condition: .onQueue(target)) }
    }

    @Test func aReadOnlyQueueUsesTheTargetQueueOfReaders() throws {
        try DatabaseQueue(path: folder.file()).close()
        let readQueue = DispatchQueue(label: "reading")
        let configuration = Configuration.with {
            $0.readonly = true
            $0.targetQueue = readQueue
            $0.writeTargetQueue = DispatchQueue(label: "writing")
        }
        let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        queue.inDatabase { _ in dispatchPrecondition(condition: .onQueue(readQueue)) }
    }

    @Test func accessesCanRunOnTheMainQueue() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.writeTargetQueue = .main }
        )
        let work = Background {
            try pool.write { db in
                dispatchPrecondition(condition: .onQueue(.main))
                try pool.unsafeReentrantWrite { inner in
                    #expect(inner === db)
                    try inner.insert(1)
                }
            }
            return try pool.rowCount()
        }
        try #expect(work.value() == 1)
    }

    @Test func accessesHaveTheQualityOfServiceOfTheirTargetQueue() {
        var configuration = Configuration()
        #expect(configuration.readQoS == .userInitiated)
        #expect(configuration.writeQoS == .userInitiated)
        configuration.targetQueue = DispatchQueue(label: "reading", qos: .background)
        #expect(configuration.readQoS == .background)
        #expect(configuration.writeQoS == .background)
        configuration.writeTargetQueue = DispatchQueue(label: "writing", qos: .utility)
        #expect(configuration.writeQoS == .utility)
    }
}
