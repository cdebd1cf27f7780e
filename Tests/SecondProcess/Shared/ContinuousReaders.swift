import Foundation
import SQLiteEngine
import Synchronization

/// Threads that read without pauses and count stale reads.
package final class ContinuousReaders: Sendable {
    /// The results of the threads.
    package struct Result: Sendable {
        /// The number of reads.
        package fileprivate(set) var reads = 0
        /// The number of reads that missed a commit.
        ///
        /// The commit had returned before the read began.
        package fileprivate(set) var staleReads = 0
        /// The first error that a read threw.
        fileprivate var error: (any Error)?
    }

    /// The shared state of the threads.
    private final class State: Sendable {
        let hasEnded = Atomic<Bool>(false)
        let readCount = Atomic<Int>(0)
        let total = LockedResult()
    }

    private let state = State()
    private let group = DispatchGroup()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - database: The database that the threads read.
    ///   - threadCount: The number of threads.
    ///   - committed: The value of the counter after the last commit that has returned.
    package init(
        _ database: some DatabaseReader,
        threads threadCount: Int,
        committed: SharedCounter
    ) {
        for _ in 0..<threadCount {
            group.enter()
            Thread.detachNewThread { [state, group] in
                Self.read(database, committed, state)
                group.leave()
            }
        }
    }

    deinit { state.hasEnded.store(true, ordering: .relaxed) }

    private static func read(
        _ database: some DatabaseReader,
        _ committed: SharedCounter,
        _ state: State
    ) {
        var result = Result()
        do {
            while !state.hasEnded.load(ordering: .relaxed) {
                let expected = committed.load()
                do {
                    if try database.counter() < expected { result.staleReads += 1 }
                } catch let error as DatabaseError where error.isInterruptionError {
                    // The start of a suspension interrupts a running read of a queue.
                    continue
                }
                result.reads += 1
                state.readCount.wrappingAdd(1, ordering: .relaxed)
            }
        } catch {
            result.error = error
        }
        state.total.withLock {
            $0.reads += result.reads
            $0.staleReads += result.staleReads
            $0.error = $0.error ?? result.error
        }
    }

    /// The number of reads so far.
    package var readCount: Int { state.readCount.load(ordering: .relaxed) }

    /// Waits up to 20 s for the threads to read `count` more times.
    package func waitForReads(_ count: Int) throws {
        let end = state.readCount.load(ordering: .relaxed) + count
        let deadline = ContinuousClock.now + .seconds(20)
        while state.readCount.load(ordering: .relaxed) < end {
            if let error = state.total.withLock({ $0.error }) { throw error }
            guard ContinuousClock.now < deadline else {
                let message = "the readers did not complete \(count) reads in 20 s"
                throw Peer.Failure(code: 0, message: message)
            }
            usleep(100)
        }
    }

    /// Ends the threads.
    ///
    /// - Throws: The first error that a read threw.
    package func stop() throws -> Result {
        state.hasEnded.store(true, ordering: .relaxed)
        group.wait()
        let result = state.total.withLock { $0 }
        if let error = result.error { throw error }
        return result
    }
}

/// A result that a lock protects.
///
/// The lock is an `NSLock`, because Thread Sanitizer reports false positives for `Mutex`.
///
/// `@unchecked Sendable`, because the lock protects `result`.
private final class LockedResult: @unchecked Sendable {
    private let lock = NSLock()
    private var result = ContinuousReaders.Result()

    func withLock<Value>(_ body: (inout ContinuousReaders.Result) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&result)
    }
}

extension DatabaseReader {
    /// Reads the counter in a separate transaction.
    package func counter() throws -> Int {
        try read { db in
            try Int.fetchOne(db.cachedStatement(sql: "SELECT value FROM counter")) ?? -1
        }
    }
}
