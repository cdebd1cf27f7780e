import Dispatch
import Isolation
import IsolationPeer
import Telemetry

@testable import SQLiteEngine

extension IsolationSession {
    func write(_ writer: any DatabaseWriter) {
        let transaction = begin("write")
        finish(transaction) { try writer.write { try write(in: $0, transaction) } }
    }

    func writeWithoutTransaction(_ writer: any DatabaseWriter) {
        switch script.draw(below: 4) {
        case 0: append(writer)
        case 1: writeInTransaction(writer, .deferred)
        case 2: writeInTransaction(writer, .exclusive)
        default: writeInSavepoints(writer)
        }
    }

    private func append(_ writer: any DatabaseWriter) {
        let transaction = begin("statement")
        finish(transaction) {
            try writer.writeWithoutTransaction { db in
                transaction.willCommit()
                try script.append(in: db, transaction)
            }
        }
    }

    private func writeInTransaction(
        _ writer: any DatabaseWriter,
        _ kind: Database.TransactionKind
    ) {
        let transaction = begin("\(kind) transaction")
        finish(transaction) {
            try writer.writeWithoutTransaction { db in
                try db.inTransaction(kind) {
                    transaction.willObserve()
                    try write(in: db, transaction)
                    return .commit
                }
            }
        }
    }

    /// Writes before and after a savepoint that is rolled back, and records only these writes.
    private func writeInSavepoints(_ writer: any DatabaseWriter) {
        let transaction = begin("write with a savepoint")
        finish(transaction) {
            try writer.write { db in
                try script.append(in: db, transaction)
                let undone = HistoryRecorder()
                try db.inSavepoint {
                    try script.write(in: db, undone.begin("undone", in: undone.addSession("")))
                    return .rollback
                }
                try write(in: db, transaction)
            }
        }
    }

    func writeAwaited(_ writer: any DatabaseWriter) {
        let transaction = begin("await write")
        finish(transaction) {
            try wait { try await writer.write { try write(in: $0, transaction) } }
        }
    }

    func writeAsync(_ writer: any DatabaseWriter) {
        let transaction = begin("asyncWrite")
        let ended = DispatchSemaphore(value: 0)
        let result = Lock<Result<Void, any Error>>(.success(()))
        writer.asyncWrite {
            try write(in: $0, transaction)
        } completion: { _, outcome in
            result.withLock { $0 = outcome }
            ended.signal()
        }
        finish(transaction) {
            ended.wait()
            try result.withLock { $0 }.get()
        }
    }

    func writeBehindBarrier(_ writer: any DatabaseWriter) {
        let transaction = begin("barrier")
        let body: @Sendable (Database) throws -> Void = { db in
            try db.inTransaction(.immediate) {
                try write(in: db, transaction)
                return .commit
            }
        }
        finish(transaction) {
            switch script.draw(below: 3) {
            case 0: try writer.barrierWriteWithoutTransaction(body)
            case 1: try wait { try await writer.barrierWriteWithoutTransaction(body) }
            default:
                let ended = DispatchSemaphore(value: 0)
                let result = Lock<Result<Void, any Error>>(.success(()))
                writer.asyncBarrierWriteWithoutTransaction { db in
                    let outcome = Result { try body(db.get()) }
                    result.withLock { $0 = outcome }
                    ended.signal()
                }
                ended.wait()
                try result.withLock { $0 }.get()
            }
        }
    }
}
