import SQLiteEngine

/// A program that executes the statements through a `DatabasePool` of this engine.
struct EngineProgram: TracedProgram {
    private let pool: DatabasePool
    private let lockingQueue: DatabaseQueue
    private let texts: StatementTexts
    private let clock = ContinuousClock()

    init(path: String, texts: StatementTexts) throws {
        pool = try DatabasePool(path: path)
        lockingQueue = try DatabaseQueue(path: path)
        self.texts = texts
        try pool.read { db in _ = try Int.fetchOne(db, sql: texts.longQuery) }
    }

    func runLongQuery() throws -> Duration {
        try pool.read { db in
            try clock.measure { _ = try Int.fetchOne(db, sql: texts.longQuery) }
        }
    }

    func runPointRead(_ id: Int) throws -> Duration {
        try pool.read { db in
            try clock.measure { _ = try String.fetchOne(db, sql: texts.pointRead, arguments: [id]) }
        }
    }

    func insert(_ value: Int) throws -> Duration {
        try pool.write { db in
            try clock.measure { try db.execute(sql: texts.insert, arguments: [value]) }
        }
    }

    func insertWhileLocked(attempts: Int) throws -> [Bool] {
        try lockingQueue.inDatabase { holder in
            try holder.execute(sql: "BEGIN IMMEDIATE")
            defer { try? holder.execute(sql: "COMMIT") }
            return try (0..<attempts).map { attempt in
                try pool.writeWithoutTransaction { db in
                    do {
                        try db.execute(sql: texts.insert, arguments: [attempt])
                        return false
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                        return true
                    }
                }
            }
        }
    }
}
