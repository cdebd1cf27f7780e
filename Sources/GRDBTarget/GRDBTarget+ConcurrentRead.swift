#if GRDB
import EngineTarget
import GRDB
import WorkloadEngine

extension GRDBTarget {
    /// Writes, and then reads the committed state.
    ///
    /// The read starts before GRDB's writer is released.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws {
        let call = watch.call(by: client.name, isWrite: true)
        let concurrentRead = ConcurrentRead()
        do {
            try writer.writeWithoutTransaction { db in
                let hold = watch.enter(call, db)
                defer { watch.leave(hold) }
                try db.inTransaction(.immediate) {
                    try body(GRDBSession(database: db, observedConnection: hold.observedConnection))
                    return .commit
                }
                let body = makeReading()
                let readCall = watch.call(by: client.name, isWrite: false)
                writer.spawnConcurrentRead { [watch] read in
                    concurrentRead.end(
                        Result {
                            do {
                                let db = try read.get()
                                let hold = watch.enter(readCall, db)
                                defer { watch.leave(hold) }
                                try body(
                                    GRDBSession(
                                        database: db,
                                        observedConnection: hold.observedConnection
                                    )
                                )
                            } catch {
                                watch.fail(readCall, with: error)
                                throw error
                            }
                        }
                    )
                }
            }
        } catch {
            watch.fail(call, with: error)
            throw error
        }
        try concurrentRead.wait()
    }
}
#endif
