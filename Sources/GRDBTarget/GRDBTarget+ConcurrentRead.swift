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
                try call.run(on: db) { probe in
                    try db.inTransaction(.immediate) {
                        try body(GRDBSession(database: db, probe: probe))
                        return .commit
                    }
                    let body = makeReading()
                    let readCall = WatchedAccess(.read, at: client.site, ledger)
                    writer.spawnConcurrentRead { read in
                        concurrentRead.end(
                            Result {
                                defer { readCall.end() }
                                let db = try read.get()
                                try readCall.run(on: db) {
                                    try body(GRDBSession(database: db, probe: $0))
                                }
                            }
                        )
                    }
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
