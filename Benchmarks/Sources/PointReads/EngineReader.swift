import SQLiteEngine

/// A reader that uses this engine's pool.
final class EngineReader: PointReader, Sendable {
    let name: String
    let pool: DatabasePool

    init(
        _ name: String,
        path: String,
        readers: Int,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configure(&configuration)
        self.name = name
        pool = try DatabasePool(path: path, configuration: configuration)
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
