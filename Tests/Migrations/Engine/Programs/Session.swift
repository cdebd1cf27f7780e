#if ENGINE_MIGRATIONS || GRDB
import Foundation
import Synchronization

#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

/// One phase of a program, which records what the library does.
struct Session {
    let path: String
    let usesPool: Bool
    let peer: [String]
    var configuration = Configuration()
    private(set) var lines: [String] = []

    init(path: String, usesPool: Bool, peer: [String]) {
        self.path = path
        self.usesPool = usesPool
        self.peer = peer
    }

    mutating func add(_ line: String) {
        lines.append(line.replacingOccurrences(of: path, with: "PATH"))
    }

    mutating func add(_ error: any Error) {
        if let error = error as? DatabaseError {
            add("error \(error.extendedResultCode.rawValue): \(error)")
        } else {
            add("error: \(error)")
        }
    }

    /// Adds the description of an expression, or its error.
    mutating func add<T>(_ name: String, _ value: () throws -> T) {
        do { add("\(name): \(try value())") } catch {
            add("\(name):")
            add(error)
        }
    }

    func open() throws -> any DatabaseWriter {
        usesPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Migrates the file, and records the log of the migrations, the error, if any, what the
    /// migrator knows, and the contents of the file.
    mutating func migrate(
        _ migrator: DatabaseMigrator,
        _ log: Log,
        upTo target: String? = nil
    ) throws {
        let writer = try open()
        do {
            if let target {
                try migrator.migrate(writer, upTo: target)
            } else {
                try migrator.migrate(writer)
            }
            add("migrated")
        } catch { add(error) }
        for line in log.take() { add("  \(line)") }
        try describe(migrator, writer)
        try writer.close()
    }

    mutating func describe(_ migrator: DatabaseMigrator, _ writer: any DatabaseWriter) throws {
        try writer.read { db in
            add("registered: \(migrator.migrations)")
            add("applied") { try migrator.appliedMigrations(db) }
            add("identifiers") { try migrator.appliedIdentifiers(db).sorted() }
            add("completed") { try migrator.completedMigrations(db) }
            add("has completed") { try migrator.hasCompletedMigrations(db) }
            add("superseded") { try migrator.hasBeenSuperseded(db) }
            add("schema changes") { try migrator.hasSchemaChanges(db) }
            add("foreign keys") { try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false }
            try describe(db)
        }
        // The connection that has migrated enforces foreign keys as before.
        writer.writeWithoutTransaction { db in
            add("writer's foreign keys") {
                try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
            }
        }
    }

    /// Adds the schema and all rows.
    mutating func describe(_ db: Database) throws {
        let objects = try Row.fetchAll(
            db,
            sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
        )
        for object in objects {
            let (type, name): (String, String) = (object[0], object[1])
            let sql = object[3] as String? ?? "no SQL"
            add("\(type) \(name) on \(object[2] as String): \(sql)")
        }
        for object in objects where object[0] == "table" {
            let name: String = object[1]
            let quoted = "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
            // The order of the rows is part of the result, as they were inserted.
            for row in try Row.fetchAll(db, sql: "SELECT * FROM \(quoted)") {
                add("\(name): \(row.databaseValues.map(\.description).joined(separator: ", "))")
            }
        }
    }

    /// Starts another process that migrates the file.
    func startPeer(_ command: String) throws -> Peer {
        try Peer(peer + [command, path, usesPool ? "pool" : "queue"])
    }
}

/// Another process.
package struct Peer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    package init(_ command: [String]) throws {
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits for a line, which has four characters.
    package func waitForLine() -> String {
        let data = output.fileHandleForReading.readData(ofLength: 5)
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    package func release() throws {
        try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the end, and returns the exit status.
    @discardableResult package func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// What migrations have done, in order.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Returns a migrator with a migration for each name, which creates a table of the same name.
    func tables(_ names: String...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for name in names { table(name, &migrator) }
        return migrator
    }

    func table(_ name: String, _ migrator: inout DatabaseMigrator) {
        sql("CREATE TABLE \(name) (id INTEGER PRIMARY KEY)", name, &migrator)
    }

    /// Registers a migration that executes SQL.
    func sql(
        _ sql: String,
        _ name: String,
        _ migrator: inout DatabaseMigrator,
        checks: DatabaseMigrator.ForeignKeyChecks = .deferred
    ) {
        migrator.registerMigration(name, foreignKeyChecks: checks) { [self] db in
            add("runs \(name)")
            try db.execute(sql: sql)
            add("\(name) has changed \(db.changesCount > 0 ? "rows" : "no rows")")
        }
    }

    /// Registers a migration that creates a table of each name that has not been migrated.
    func merged(
        _ name: String,
        _ identifiers: Set<String>,
        creating tables: [String],
        _ migrator: inout DatabaseMigrator
    ) {
        migrator.registerMigration(name, merging: identifiers) { [self] db, applied in
            add("runs \(name) after \(applied.sorted())")
            for table in tables where !applied.contains(table) {
                try db.execute(sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY)")
            }
        }
    }
}

/// An error that a migration throws.
struct Refusal: Error, CustomStringConvertible {
    var description: String
}
#endif
