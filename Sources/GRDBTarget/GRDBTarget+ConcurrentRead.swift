#if GRDB
import Dispatch
import GRDB
import Telemetry
import WorkloadEngine

extension GRDBTarget {
    /// Writes; then reads what was committed, from before GRDB's writer is let go.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenReading statements: () -> [BoundStatement]
    ) throws {
        let call = watch.call(by: client.name, isWrite: true)
        let failure = Lock<(any Error)?>(nil)
        let ended = DispatchSemaphore(value: 0)
        do {
            try writer.writeWithoutTransaction { db in
                let hold = watch.enter(call, db)
                defer { watch.leave(hold) }
                try db.inTransaction(.immediate) {
                    try body(GRDBSession(database: db, seat: hold.seat))
                    return .commit
                }
                let bound = statements()
                let reading = watch.call(by: client.name, isWrite: false)
                writer.spawnConcurrentRead { [watch] read in
                    defer { ended.signal() }
                    do {
                        let db = try read.get()
                        let hold = watch.enter(reading, db)
                        defer { watch.leave(hold) }
                        let session = GRDBSession(database: db, seat: hold.seat)
                        for statement in bound {
                            try session.run(statement.sql, statement.values)
                        }
                    } catch {
                        watch.fail(reading, with: error)
                        failure.withLock { $0 = error }
                    }
                }
            }
        } catch {
            watch.fail(call, with: error)
            throw error
        }
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
#endif
