import GRDB

/// A reader that uses GRDB's pool.
final class GRDBReader: PointReader, Sendable {
    let name = "GRDB"

    private let pool: GRDB.DatabasePool

    init(path: String, readers: Int) throws {
        var configuration = GRDB.Configuration()
        configuration.maximumReaderCount = readers
        pool = try GRDB.DatabasePool(path: path, configuration: configuration)
    }

    func run(thread: Int, rows: Int64, limit: Int, stop: borrowing StopFlag) throws -> Int {
        var keys = KeySequence(thread: thread, rows: rows)
        var count = 0
        while !stop.isSet, count < limit {
            let key = keys.next()
            let value = try pool.read { db in
                let statement = try db.cachedStatement(sql: pointReadSQL)
                return try Int64.fetchOne(statement, arguments: [key])
            }
            precondition(value == key &* 3)
            count += 1
        }
        return count
    }
}
