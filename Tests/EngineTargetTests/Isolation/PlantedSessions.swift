import Dispatch
import Telemetry
import WorkloadEngine

/// A session that forwards its statements to closures with a planted bug.
struct RoutedSession: WorkloadSession {
    /// A closure that runs a query.
    var query: (String, [WorkloadValue]) throws -> [[WorkloadValue]]
    /// A closure that runs a write statement.
    var write: (String, [WorkloadValue]) throws -> Void = { _, _ in }

    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try write(sql, values)
        return 0
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        try query(sql, values)
    }
}

/// A faulty snapshot that returns the current state.
final class MovingSnapshot: WorkloadSnapshot {
    private let target: any WorkloadTarget
    private let client: WorkloadClientName

    init(_ target: any WorkloadTarget, _ client: WorkloadClientName) {
        self.target = target
        self.client = client
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        try target.perform(.read, as: client, body)
    }

    func release() {}
}

/// A queue of reads that run on the connection of an open write transaction.
final class DirtyReadQueue: Sendable {
    private final class Job: @unchecked Sendable {
        // Unchecked, because `body` runs on the writer's thread while the reader waits. The lock of
        // `DirtyReadQueue` determines which thread removes the job.
        private var body: ((any WorkloadSession) throws -> Void)?
        private(set) var error: (any Error)?
        let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping (any WorkloadSession) throws -> Void) { self.body = body }

        /// Releases the body.
        func cancel() { body = nil }

        /// Runs the body and releases it, because it must not outlive the reader's call.
        func run(_ session: any WorkloadSession) {
            do { try body?(session) } catch { self.error = error }
            body = nil
            done.signal()
        }
    }

    private let waiting = Lock<[Job]>([])

    /// Waits briefly for an open transaction and reads in it.
    ///
    /// - Returns: Whether a transaction was open.
    func read(_ body: (any WorkloadSession) throws -> Void) throws -> Bool {
        try withoutActuallyEscaping(body) { body in
            let job = Job(body)
            waiting.withLock { $0.append(job) }
            if job.done.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                let isStillWaiting = waiting.withLock { waiting in
                    let count = waiting.count
                    waiting.removeAll { $0 === job }
                    return waiting.count < count
                }
                if isStillWaiting {
                    job.cancel()
                    return false
                }
                job.done.wait()
            }
            if let error = job.error { throw error }
            return true
        }
    }

    /// Runs the waiting reads in an open transaction.
    func serve(_ session: any WorkloadSession) {
        let jobs = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for job in jobs { job.run(session) }
    }
}
