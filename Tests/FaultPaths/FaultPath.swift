import SQLiteEngine

/// A path through the code of the engine.
///
/// An attack makes each operation on the path fail in turn.
package struct FaultPath: Sendable {
    package var name: String
    /// The kinds of database objects to which the path applies.
    package var subjects = Subject.allCases
    /// Whether a value observation runs along the path.
    var isObserved = false
    /// Whether the path closes the database object.
    var closesDatabase = false
    /// A closure that returns a problem with the path's files after the faults, or `nil`.
    var check: @Sendable (FaultFolder, WrittenRows) throws -> String? = { _, _ in nil }
    /// A closure that follows the path on an open database.
    package var run: @Sendable (any DatabaseWriter, FaultFolder, inout WrittenRows) throws -> Void

    package static let all = [
        FaultPath(name: "open") { _, _, _ in },
        FaultPath(name: "read") { writer, _, _ in
            try ReadPath.run(writer)
        },
        FaultPath(name: "write") { writer, _, rows in
            for _ in 0..<3 { try rows.write(writer) }
        },
        FaultPath(name: "savepoint") { writer, _, rows in
            try rows.write(writer)
            try writer.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM t")
                    return .rollback
                }
                // The changes must not be committed, even if the access ignores an error.
                try? db.inSavepoint {
                    try db.execute(sql: "DELETE FROM t")
                    return .rollback
                }
            }
            try rows.write(writer)
        },
        FaultPath(name: "rollback") { writer, _, rows in
            try rows.write(writer)
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "UPDATE t SET text = hex(randomblob(3000))")
                    return .rollback
                }
            }
        },
        FaultPath(name: "checkpoint") { writer, _, rows in
            try rows.write(writer)
            try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try rows.write(writer)
        },
        FaultPath(name: "backup") { writer, folder, rows in
            try rows.write(writer)
            let copy = try DatabaseQueue(path: folder.copy)
            try writer.backup(to: copy)
            try copy.close()
        },
        FaultPath(name: "snapshot", subjects: [.pool]) { writer, _, rows in
            guard let pool = writer as? DatabasePool else { return }
            try rows.write(pool)
            let snapshot = try pool.makeSnapshot()
            let countBefore = try snapshot.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
            }
            try rows.write(pool)
            let countAfter = try snapshot.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
            }
            try Violation.check(countBefore == countAfter, "a snapshot changed")
            try snapshot.close()
        },
        FaultPath(name: "snapshot pool", subjects: [.pool]) { writer, _, rows in
            guard let pool = writer as? DatabasePool else { return }
            try rows.write(pool)
            let snapshot = try pool.makeSnapshotPool()
            let countBefore = try snapshot.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
            }
            try rows.write(pool)
            let countAfter = try snapshot.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
            }
            try Violation.check(countBefore == countAfter, "a snapshot changed")
            try snapshot.close()
        },
        FaultPath(name: "close", closesDatabase: true) { writer, _, rows in
            try rows.write(writer)
            try writer.close()
        },
        FaultPath(name: "observation", isObserved: true) { writer, _, rows in
            for _ in 0..<3 { try rows.write(writer) }
        },
        FaultPath(name: "schema change") { writer, _, rows in
            try rows.write(writer)
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE u(x); CREATE INDEX u_x ON u(x)")
                try db.execute(sql: "INSERT INTO u SELECT text FROM t")
            }
            _ = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM u") }
            try writer.write { try $0.execute(sql: "DROP TABLE u") }
            try rows.write(writer)
        },
        FaultPath(name: "migrations", check: MigrationPath.check) { writer, _, rows in
            try rows.write(writer)
            try MigrationPath.run(writer)
            try rows.write(writer)
        },
        FaultPath(name: "kept read transactions") { writer, _, rows in
            for _ in 0..<3 {
                for _ in 0..<2 {
                    _ = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
                }
                try rows.write(writer)
            }
        },
        FaultPath(name: "recording", subjects: [.pool], check: RecordingPath.check) {
            writer,
            folder,
            rows in
            try RecordingPath.run(writer, folder, &rows)
        },
    ]

    /// Returns whether the path may throw an error after a fault.
    func mayThrow(_ error: any Error) -> Bool {
        error is DatabaseError || RecordingPath.isExplained(error)
            || MigrationPath.isExplained(error)
    }
}
