#if GRDB
import EngineTarget
import GRDB
import PoolgaugeGRDB
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
        let call = WatchedAccess(.write, at: client.site, ledger)
        let concurrentRead = ConcurrentRead()
        do {
            try writer.writeWithoutTransaction { db in
                let use = call.begin(on: db)
                do {
                    try db.inTransaction(.immediate) {
                        try body(GRDBSession(database: db, probe: use?.probe))
                        return .commit
                    }
                } catch {
                    call.end(use, failingWith: error)
                    throw error
                }
                defer { call.end(use) }
                let body = makeReading()
                let readCall = WatchedAccess(.read, at: client.site, ledger)
                writer.spawnConcurrentRead { read in
                    concurrentRead.end(
                        Result {
                            defer { readCall.end() }
                            try readCall.perform(body, on: try read.get())
                        }
                    )
                }
            }
        } catch {
            call.end()
            throw error
        }
        try concurrentRead.wait()
    }
}
#endif
