import Foundation
import Isolation
import Telemetry

/// A session that runs transactions on a target and records them to check isolation.
///
/// Only one thread uses each session.
struct IsolationSession {
    enum Role: String, CaseIterable, Sendable {
        /// Writes, and rolls back some of the writes.
        case writer
        /// Writes with single statements or with transactions in SQL.
        case statements
        case reader
        /// Takes snapshots and reads several times from each.
        case snapshots
        /// Reads and writes with asynchronous accesses.
        case tasks
        /// Writes, then reads each write on another connection.
        case concurrentReads = "concurrent-reads"
        /// Reads and writes in another process.
        case process

        /// Returns whether a target supports the role's accesses.
        func isPossible(on target: any WorkloadTarget) -> Bool {
            switch self {
            case .writer, .reader: true
            case .statements: target.supports(.writeWithoutTransaction)
            case .snapshots: target.supports(.snapshot)
            case .tasks: target.has(.tasks)
            case .concurrentReads: target.has(.concurrentReads)
            // This role needs a target in another process.
            case .process: false
            }
        }
    }

    private struct Rollback: Error {}

    let name: String
    private let role: Role
    private let target: any WorkloadTarget
    private let client: WorkloadClientName
    private let recorder: HistoryRecorder
    private let index: Int
    private let costs: IsolationCosts
    private let script: TransactionScript

    init(
        name: String,
        role: Role,
        target: any WorkloadTarget,
        client: WorkloadClientName,
        recorder: HistoryRecorder,
        costs: IsolationCosts,
        script: TransactionScript
    ) {
        self.name = name
        self.role = role
        self.target = target
        self.client = client
        self.recorder = recorder
        self.costs = costs
        self.script = script
        index = recorder.addSession(name)
    }

    func begin(round: Int) { script.begin(round: round) }

    /// Runs one transaction.
    ///
    /// Errors become part of the history.
    func runTransaction() {
        switch role {
        case .reader: read()
        case .snapshots: readSnapshot()
        case .writer: write()
        case .statements: flipCoin() ? append() : writeInSQL()
        case .tasks: runTask(flipCoin() ? .read : .write)
        case .process: flipCoin() ? read() : write()
        case .concurrentReads: writeAndRead()
        }
    }

    private func flipCoin() -> Bool { script.draw(below: 2) == 0 }

    private func drawIsRolledBack() -> Bool { script.draw(below: 6) == 0 }

    // MARK: Reads

    private func read() {
        let transaction = recorder.begin("read", in: index)
        finish(transaction) {
            try target.perform(.read, as: client) { session in
                try costs.measure { try script.read(in: IsolationStore(session), transaction) }
            }
        }
    }

    private func readSnapshot() {
        let transaction = recorder.begin("snapshot", in: index)
        finish(transaction) {
            let snapshot = try target.makeSnapshot(as: client)
            transaction.didObserve()
            defer { snapshot.release() }
            for _ in 0..<3 {
                try snapshot.read { session in
                    try costs.measure { try script.read(in: IsolationStore(session), transaction) }
                }
                sched_yield()
            }
        }
    }

    // MARK: Writes

    private func write() {
        let transaction = recorder.begin("write", in: index)
        let isRolledBack = drawIsRolledBack()
        finish(transaction) {
            try target.perform(.write, as: client) { session in
                try costs.measure {
                    try script.write(in: IsolationStore(session), transaction)
                    if isRolledBack { throw Rollback() }
                    transaction.willCommit()
                }
            }
        }
    }

    private func append() {
        let transaction = recorder.begin("single statement", in: index)
        finish(transaction) {
            try target.perform(.writeWithoutTransaction, as: client) { session in
                try costs.measure {
                    transaction.willCommit()
                    try script.append(in: IsolationStore(session), transaction)
                }
            }
        }
    }

    private func writeInSQL() {
        let transaction = recorder.begin("BEGIN … COMMIT", in: index)
        let isRolledBack = drawIsRolledBack()
        finish(transaction) {
            try target.perform(.writeWithoutTransaction, as: client) { session in
                try costs.measure {
                    try session.run("BEGIN IMMEDIATE", [])
                    do {
                        try script.write(in: IsolationStore(session), transaction)
                        if isRolledBack { throw Rollback() }
                        transaction.willCommit()
                        try session.run("COMMIT", [])
                    } catch {
                        // Ignore this error, because some errors have already rolled back the
                        // transaction (https://sqlite.org/lang_transaction.html).
                        _ = try? session.run("ROLLBACK", [])
                        throw error
                    }
                }
            }
        }
    }

    private func writeAndRead() {
        let transaction = recorder.begin("write", in: index)
        let reading = Lock<RecordedTransaction?>(nil)
        do {
            try target.performWrite(as: client) { session in
                try costs.measure {
                    try script.write(in: IsolationStore(session), transaction)
                    transaction.willCommit()
                }
            } thenPerforming: {
                transaction.end(.committed)
                let read = recorder.begin("concurrent read", in: index)
                reading.withLock { $0 = read }
                return { [costs, script] session in
                    try costs.measure { try script.read(in: IsolationStore(session), read) }
                }
            }
            reading.withLock { $0 }?.end(.committed)
        } catch {
            costs.note(error)
            transaction.end(transaction.isCommitting ? .unknown : .aborted)
            reading.withLock { $0 }?.end(.aborted)
        }
    }

    // MARK: Tasks

    private func runTask(_ access: WorkloadAccess) {
        let transaction = recorder.begin("awaited \(access.rawValue)", in: index)
        let ended = DispatchSemaphore(value: 0)
        let result = Lock<Result<Void, any Error>?>(nil)
        Task.detached(executorPreference: TaskThreads.shared) { [target, client, costs, script] in
            do {
                try await target.performAsync(access, as: client) { session in
                    try costs.measure {
                        if access == .read {
                            try script.read(in: IsolationStore(session), transaction)
                        } else {
                            try script.write(in: IsolationStore(session), transaction)
                        }
                        transaction.willCommit()
                    }
                }
                result.withLock { $0 = .success(()) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            ended.signal()
        }
        finish(transaction) {
            ended.wait()
            try result.withLock { $0 }?.get()
        }
    }

    // MARK: Outcomes

    private func finish(_ transaction: RecordedTransaction, _ access: () throws -> Void) {
        do {
            try access()
            transaction.end(.committed)
        } catch {
            if !(error is Rollback) { costs.note(error) }
            // A failure before the commit rolls back the transaction.
            transaction.end(transaction.isCommitting ? .unknown : .aborted)
        }
    }

    /// Reads all of a round's objects and returns whether the read succeeded.
    func readAllObjects(ofRound round: Int) -> Bool {
        let transaction = recorder.begin("last read", in: index)
        do {
            try target.perform(.read, as: client) { session in
                try costs.measure {
                    for object in TransactionScript.objects(ofRound: round) {
                        try script.table.read(object, in: IsolationStore(session), transaction)
                    }
                }
            }
            transaction.end(.committed)
            return true
        } catch {
            costs.note(error)
            transaction.end(.aborted)
            return false
        }
    }

    /// Removes all objects, in a transaction that is not part of the history.
    func clear() {
        do {
            try target.perform(.write, as: client) { session in
                try costs.measure { try script.table.clear(in: IsolationStore(session)) }
            }
        } catch {
            costs.note(error)
        }
    }
}
