import Foundation
import GRDB

/// The benchmark cases, implemented with GRDB.
final class GRDBCases: Sendable {
    let pool: DatabasePool
    let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 8
        pool = try DatabasePool(path: path, configuration: configuration)
        queue = try DatabaseQueue(path: path)
    }

    func fetchWithSQL(_ key: Int64) throws -> Int64? {
        try pool.read { try Int64.fetchOne($0, sql: SQL.pointRead, arguments: [key]) }
    }

    func readQueue(_ key: Int64) throws -> Int64? {
        try queue.read { db in
            try Int64.fetchOne(db.cachedStatement(sql: SQL.pointRead), arguments: [key])
        }
    }

    func write(_ key: Int64) throws {
        try pool.write { try $0.cachedStatement(sql: SQL.update).execute(arguments: [key]) }
    }

    func rows() throws -> Int {
        try pool.read { try Row.fetchAll($0.cachedStatement(sql: SQL.rows)).count }
    }

    func notes() throws -> Int {
        try pool.read { try Note.fetchAll($0.cachedStatement(sql: SQL.notes)).count }
    }

    func datedNotes() throws -> Int {
        try pool.read { try DatedNote.fetchAll($0.cachedStatement(sql: SQL.datedNotes)).count }
    }

    func awaitRead(_ key: Int64) async throws -> Int64? {
        try await pool.read { db in
            try Int64.fetchOne(db.cachedStatement(sql: SQL.pointRead), arguments: [key])
        }
    }
}

/// A record with synthesized `Codable` conformance.
private struct Note: Codable, FetchableRecord {
    let id: Int64
    let name: String
    let score: Double
    let note: String
}

/// The same record with a date, which SQLite stores as text.
private struct DatedNote: Codable, FetchableRecord {
    let id: Int64
    let name: String
    let score: Double
    let note: String
    let created: Date
}
