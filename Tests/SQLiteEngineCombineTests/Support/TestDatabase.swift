import Dispatch
import Foundation
import SQLiteEngine
import SQLiteEngineCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif

/// The kinds of databases that publishers support.
enum Kind: CaseIterable {
    case queue
    case pool
}

/// A database with the table `t (v UNIQUE)`, in a folder that is removed when the object is
/// released.
final class TestDatabase: Sendable {
    let writer: any DatabaseWriter
    private let folder: URL

    init(_ kind: Kind) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("db.sqlite").path
        writer =
            switch kind {
            case .queue: try DatabaseQueue(path: path)
            case .pool: try DatabasePool(path: path)
            }
        try writer.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
    }

    deinit {
        try? writer.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func insert(_ value: Int) throws {
        try writer.write { db in try db.insert(value) }
    }

    func count() throws -> Int { try writer.read { db in try db.count() } }
}

extension Database {
    func insert(_ value: Int) throws {
        try execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
    }

    func count() throws -> Int { try Int.fetchOne(self, sql: "SELECT count(*) FROM t") ?? -1 }
}

extension DispatchQueue {
    /// The queue, adapted for use as the scheduler of a publisher.
    #if canImport(Combine)
    var scheduler: DispatchQueue { self }
    #else
    var scheduler: OCombine { ocombine }
    #endif
}
