import SQLiteEngine
import WorkloadEngine

extension EngineTarget {
    /// Writes, and then reads the committed state on another connection.
    ///
    /// The read starts before the writer is released, so no other write can occur between the
    /// commit and the read.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws {
        let site = AccessSite(client.accessLabel)
        let read = ConcurrentRead()
        func write(_ database: Database, in writer: some DatabaseWriter) throws {
            try database.inTransaction(.immediate) {
                try body(EngineSession(database: database, target: self))
                return .commit
            }
            let reading = makeReading()
            writer.spawnConcurrentRead(at: site) { [self] result in
                read.end(
                    Result {
                        try reading(EngineSession(database: try result.get(), target: self))
                    }
                )
            }
        }
        let label = client.accessLabel
        switch server {
        case .pool(let pool):
            try pool.writeWithoutTransaction(as: label) { try write($0, in: pool) }
        case .queue(let queue):
            try queue.writeWithoutTransaction(as: label) { try write($0, in: queue) }
        case .frozen: throw UnsupportedAccess.concurrentRead
        }
        try read.wait()
    }
}
