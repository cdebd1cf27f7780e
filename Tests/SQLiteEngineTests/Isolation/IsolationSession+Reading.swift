import Dispatch
import Isolation
import IsolationPeer
import Telemetry

@testable import SQLiteEngine

extension IsolationSession {
    func read() {
        let transaction = begin("read")
        finish(transaction) {
            try database.read { db in
                // The first statement observes all earlier commits.
                waitForOtherSessions()
                transaction.willObserve()
                try script.read(in: db, transaction)
            }
        }
    }

    func readAwaited() {
        let transaction = begin("await read")
        finish(transaction) {
            try wait { [database, script] in
                try await database.read { db in
                    transaction.willObserve()
                    try script.read(in: db, transaction)
                }
            }
        }
    }

    func readAsync() {
        let transaction = begin("asyncRead")
        let ended = DispatchSemaphore(value: 0)
        let result = Lock<Result<Void, any Error>>(.success(()))
        database.asyncRead { [script] db in
            let outcome = Result {
                let db = try db.get()
                transaction.willObserve()
                try script.read(in: db, transaction)
            }
            result.withLock { $0 = outcome }
            ended.signal()
        }
        finish(transaction) {
            ended.wait()
            try result.withLock { $0 }.get()
        }
    }

    /// Reads with single statements, each of which is a transaction.
    func readSingleStatements() {
        let isReentrant = script.draw(below: 2) == 0
        let body: (Database) throws -> Void = { db in
            for _ in 0..<3 {
                let transaction = begin("statement of unsafeRead")
                finish(transaction) { try script.readOne(in: db, transaction) }
            }
        }
        do {
            if isReentrant {
                try database.unsafeReentrantRead(body)
            } else {
                try database.unsafeRead(body)
            }
        } catch {
            record(error)
        }
    }

    // MARK: Snapshots

    func readSnapshot(of pool: DatabasePool) {
        let transaction = begin("snapshot")
        finish(transaction) {
            let snapshot = try pool.makeSnapshot()
            transaction.didObserve()
            for _ in 0..<3 { try snapshot.read { try script.read(in: $0, transaction) } }
            try snapshot.close()
        }
    }

    func readSnapshotPool(of pool: DatabasePool) {
        let transaction = begin("snapshot pool")
        finish(transaction) {
            let snapshot = try pool.makeSnapshotPool()
            transaction.didObserve()
            let other = Background { [script] in
                try snapshot.read { try script.read(in: $0, transaction) }
            }
            try snapshot.read { try script.read(in: $0, transaction) }
            try other.value()
            try snapshot.read { try script.read(in: $0, transaction) }
            try snapshot.close()
        }
    }

    // MARK: Reads that belong to a write

    /// Writes again while another connection reads the commit of a first write.
    func readConcurrently(_ writer: any DatabaseWriter) {
        let write = begin("write before a concurrent read")
        let concurrentRead = Lock<RecordedTransaction?>(nil)
        let ended = DispatchSemaphore(value: 0)
        do {
            try writer.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try script.write(in: db, write)
                    write.willCommit()
                    return .commit
                }
                write.end(.committed)
                let read = recorder.begin("concurrent read", in: session)
                concurrentRead.withLock { $0 = read }
                writer.spawnConcurrentRead { [script, errors] db in
                    do {
                        try script.read(in: db.get(), read)
                        read.end(.committed)
                    } catch {
                        errors.append("concurrent read: \(error)")
                        read.end(.aborted)
                    }
                    ended.signal()
                }
                read.didObserve()
                let later = begin("write after a concurrent read")
                finish(later) {
                    try db.inTransaction(.immediate) {
                        try script.write(in: db, later)
                        later.willCommit()
                        return .commit
                    }
                }
            }
        } catch {
            record(error)
            write.end(write.isCommitting ? .unknown : .aborted)
        }
        if concurrentRead.withLock({ $0 }) != nil { ended.wait() }
    }

    /// Reads inside a write.
    ///
    /// The read does not observe the uncommitted changes of the write.
    func readInsideWrite(_ pool: DatabasePool) {
        let transaction = begin("write around a read")
        finish(transaction) {
            try pool.write { db in
                try script.write(in: db, transaction)
                let read = recorder.begin("read inside a write", in: nestedSession)
                finish(read) {
                    try pool.read { db in
                        read.willObserve()
                        try script.read(in: db, read)
                    }
                }
                if drawRollback() { throw Rollback() }
                transaction.willCommit()
            }
        }
    }
}
