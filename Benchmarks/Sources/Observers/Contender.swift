import Dispatch
import Foundation
import GRDB
import SQLiteEngine

/// A library to measure.
struct Contender: Sendable {
    let name: String
    /// A closure that commits a value.
    let commit: @Sendable (Int) throws -> Void
    /// A closure that starts an observation of the value.
    ///
    /// The observation ends when the closure's result is released.
    let observe: @Sendable (_ onChange: @escaping @Sendable (Int) -> Void) -> any Sendable
    /// A closure that returns the counts that the library keeps about its observations, as text.
    let counts: @Sendable () -> String
}

private let notifications = DispatchQueue(label: "notifications")
private let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 0)
    """
private let update = "UPDATE t SET v = ? WHERE id = 1"
private let select = "SELECT v FROM t WHERE id = 1"

extension Contender {
    /// Returns a contender that uses this engine.
    static func engine(in folder: URL, readers: Int) throws -> Contender {
        var configuration = SQLiteEngine.Configuration()
        configuration.maximumReaderCount = readers
        let pool = try SQLiteEngine.DatabasePool(
            path: folder.appendingPathComponent("engine.sqlite").path,
            configuration: configuration
        )
        try pool.write { db in try db.execute(sql: schema) }
        let observation = SQLiteEngine.ValueObservation.trackingConstantRegion { db in
            try Int.fetchOne(db.cachedStatement(sql: select)) ?? -1
        }
        return Contender(
            name: "engine",
            commit: { value in
                try pool.write { db in
                    try db.cachedStatement(sql: update).execute(arguments: [value])
                }
            },
            observe: { onChange in
                observation.start(
                    in: pool,
                    scheduling: .async(onQueue: notifications),
                    onError: { fatalError("\($0)") },
                    onChange: onChange
                )
            },
            counts: {
                guard let status = pool.status().observations else { return "" }
                return "\(status.fetchesOnReaders) fetches on readers, "
                    + "\(status.fetchesOnWriter) on the writer, "
                    + "\(status.coalesced) coalesced, \(status.duplicates) dropped as duplicates"
            }
        )
    }

    /// Returns a contender that uses GRDB.
    static func grdb(in folder: URL, readers: Int) throws -> Contender {
        var configuration = GRDB.Configuration()
        configuration.maximumReaderCount = readers
        let pool = try GRDB.DatabasePool(
            path: folder.appendingPathComponent("grdb.sqlite").path,
            configuration: configuration
        )
        try pool.write { db in try db.execute(sql: schema) }
        let observation = GRDB.ValueObservation.trackingConstantRegion { db in
            try Int.fetchOne(db.cachedStatement(sql: select)) ?? -1
        }
        return Contender(
            name: "GRDB",
            commit: { value in
                try pool.write { db in
                    try db.cachedStatement(sql: update).execute(arguments: [value])
                }
            },
            observe: { onChange in
                observation.start(
                    in: pool,
                    scheduling: .async(onQueue: notifications),
                    onError: { fatalError("\($0)") },
                    onChange: onChange
                )
            },
            counts: { "" }
        )
    }
}
