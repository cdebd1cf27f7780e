import Foundation
import Isolation
import IsolationPeer
import Synchronization
import Telemetry

@testable import SQLiteEngine

/// A session that runs and records the transactions of its role.
///
/// Only one thread uses a session.
struct IsolationSession {
    struct Rollback: Error {}

    let role: SessionRole
    let database: any DatabaseReader
    let recorder: HistoryRecorder
    let script: TransactionScript
    let errors: CollectedLines
    /// Whether connections outside `database` also write to the file.
    let isShared: Bool
    /// The number of ended transactions in all sessions.
    let endCount: EndCount
    let session: Int
    /// The session that nested accesses use.
    let nestedSession: Int

    init(
        _ role: SessionRole,
        of database: any DatabaseReader,
        named name: String,
        _ recorder: HistoryRecorder,
        _ script: TransactionScript,
        _ errors: CollectedLines,
        _ endCount: EndCount,
        isShared: Bool
    ) {
        self.role = role
        self.database = database
        self.recorder = recorder
        self.script = script
        self.errors = errors
        self.isShared = isShared
        self.endCount = endCount
        session = recorder.addSession(name)
        nestedSession = recorder.addSession("\(name).inner")
    }

    /// Runs one transaction, or several related transactions.
    func run() {
        if role.isReadOnly { return runRead() }
        guard let writer = database as? any DatabaseWriter else { return }
        switch role {
        case .write: write(writer)
        case .writeWithoutTransaction: writeWithoutTransaction(writer)
        case .awaitedWrite: writeAwaited(writer)
        case .asyncWrite: writeAsync(writer)
        case .barrier: writeBehindBarrier(writer)
        case .concurrentRead: readConcurrently(writer)
        default:
            guard let pool = writer as? DatabasePool else { return }
            switch role {
            case .nestedRead: readInsideWrite(pool)
            case .snapshot: readSnapshot(of: pool)
            default: readSnapshotPool(of: pool)
            }
        }
    }

    private func runRead() {
        switch role {
        case .awaitedRead: readAwaited()
        case .asyncRead: readAsync()
        case .singleReads: readSingleStatements()
        default: read()
        }
    }

    /// Decides at random whether to roll back a transaction.
    func drawRollback() -> Bool { script.draw(below: 6) == 0 }

    /// Begins a transaction of the session.
    func begin(_ access: String) -> RecordedTransaction { recorder.begin(access, in: session) }

    /// Runs an access, and records the outcome of its transaction.
    func finish(_ transaction: RecordedTransaction, _ access: () throws -> Void) {
        do {
            try access()
            transaction.end(.committed)
            endCount.add()
        } catch {
            record(error)
            transaction.end(transaction.isCommitting ? .unknown : .aborted)
        }
    }

    /// Records an unexpected error.
    func record(_ error: any Error) {
        if error is Rollback { return }
        // A transaction that has read cannot wait for another connection's lock
        // (https://sqlite.org/c3ref/busy_handler.html).
        let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
        if isBusy && isShared { return }
        errors.append("\(role.rawValue): \(error)")
    }

    /// Writes in an open transaction, and sometimes throws an error to roll the transaction back.
    func write(in db: Database, _ transaction: RecordedTransaction) throws {
        try script.write(in: db, transaction)
        if drawRollback() { throw Rollback() }
        transaction.willCommit()
    }

    /// Waits, in half of all calls, until other sessions have ended some transactions.
    func waitForOtherSessions() {
        guard script.draw(below: 2) == 0 else { return }
        let target = endCount.value + 3
        // On a busy machine, each yield can take milliseconds.
        let deadline = monotonicNanoseconds() + 1_000_000
        while endCount.value < target, monotonicNanoseconds() < deadline { sched_yield() }
    }

    /// Runs a task, and blocks the thread until the task has ended.
    func wait(for body: @escaping @Sendable () async throws -> Void) throws {
        let ended = DispatchSemaphore(value: 0)
        let result = Lock<Result<Void, any Error>>(.success(()))
        Task.detached {
            do { try await body() } catch { result.withLock { $0 = .failure(error) } }
            ended.signal()
        }
        ended.wait()
        try result.withLock { $0 }.get()
    }
}

/// The number of ended transactions in all sessions.
final class EndCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.wrappingAdd(1, ordering: .relaxed) }
}
