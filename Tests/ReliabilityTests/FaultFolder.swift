import Foundation
import SQLiteEngine

/// A folder with a database, which is removed with the value.
final class FaultFolder {
    let url: URL
    var database: String { url.appendingPathComponent("db.sqlite").path }
    /// The target of backups.
    var copy: String { url.appendingPathComponent("copy.sqlite").path }

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("pg-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Replaces the content with the files of another folder.
    func copyFiles(of other: FaultFolder) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: other.url.path) {
            try FileManager.default.copyItem(
                at: other.url.appendingPathComponent(name),
                to: url.appendingPathComponent(name)
            )
        }
    }

    /// The names of the files in the folder that this process has open, or `nil` if unknown.
    var openFiles: [String]? {
        guard let links = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return links.compactMap { link in
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + link
            )
            guard let path, path.hasPrefix(url.path) else { return nil }
            return String(path.dropFirst(url.path.count + 1))
        }
    }
}

/// The kind of database object that a test attacks.
enum Subject: String, Sendable, CaseIterable {
    case queue
    case pool

    func open(_ path: String) throws -> any DatabaseWriter {
        switch self {
        case .queue: try DatabaseQueue(path: path)
        case .pool: try DatabasePool(path: path)
        }
    }
}

/// The rows that a test has written: `acknowledged` are in the database after any fault.
struct WrittenRows {
    /// The number of rows before the test.
    static let initial = 20

    /// The numbers of the transactions whose commit has been acknowledged.
    private(set) var acknowledged: Set<Int> = []
    private(set) var attempted = 0

    /// Writes two rows in a transaction.
    mutating func write(_ writer: any DatabaseWriter) throws {
        attempted += 1
        let number = attempted
        try writer.write { db in
            for _ in 0..<2 {
                try db.execute(
                    sql: "INSERT INTO t(number, text) VALUES (?, hex(randomblob(300)))",
                    arguments: [number]
                )
            }
        }
        acknowledged.insert(number)
    }

    /// Returns why the content of a database contradicts the written rows, or `nil`.
    func contradiction(in db: Database) throws -> String? {
        let check = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        guard check == ["ok"] else { return "integrity_check: \(check.prefix(3))" }
        var counts: [Int: Int] = [:]
        let rows = try Row.fetchAll(db, sql: "SELECT number, count(*) FROM t GROUP BY number")
        for row in rows { counts[row[0]] = row[1] }
        guard counts[0] == Self.initial else { return "\(counts[0] ?? 0) initial rows" }
        for number in 1..<(attempted + 1) {
            let count = counts[number] ?? 0
            if acknowledged.contains(number), count != 2 {
                return "transaction \(number) was acknowledged and has \(count) of 2 rows"
            }
            if count != 0, count != 2 { return "transaction \(number) has \(count) of 2 rows" }
        }
        return nil
    }
}
