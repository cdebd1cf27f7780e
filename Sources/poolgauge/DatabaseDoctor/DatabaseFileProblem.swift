import Foundation
import SQLiteWatch
import WorkloadEngine

/// Refuses files that are no database, with a remedy.
enum DatabaseFileProblem {
    /// The bytes that are read of a file that is no database.
    private static let length = 4_096

    /// Throws a ``CommandFailure`` where there is no database that can be read.
    static func check(_ report: WatchReport, path: String) throws {
        let name = PrintableText.escaped(path)
        switch report.file.state {
        case .present: return
        case .missing: throw CommandFailure("there is no file '\(name)'; check the path")
        case .empty:
            throw CommandFailure(
                "'\(name)' is empty: no transaction has written to it. If it had content, restore "
                    + "it from a backup; otherwise let the program that uses it create its tables"
            )
        case .unreadable:
            throw CommandFailure(
                "'\(name)' cannot be read: \(report.file.problem ?? "unknown reason")",
                status: ExitStatus.failed.rawValue
            )
        case .notADatabase: throw CommandFailure("'\(name)' \(words(for: path))")
        }
    }

    private static func words(for path: String) -> String {
        var information = stat()
        guard stat(path, &information) == 0 else { return "is no SQLite database" }
        let type = information.st_mode & S_IFMT
        if type == S_IFDIR { return "is a folder; name a database file in it" }
        guard type == S_IFREG else { return "is not a regular file; name a database file" }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "is no SQLite database" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length)
        bytes.removeLast(length - max(0, read(descriptor, &bytes, length)))
        return words(for: bytes, size: Int(information.st_size))
    }

    /// What the first bytes of a file that is no database look like, and what to do.
    static func words(for bytes: [UInt8], size: Int) -> String {
        let kinds: [([UInt8], String)] = [
            ([0x1f, 0x8b], "is compressed with gzip; decompress it first"),
            ([0x28, 0xb5, 0x2f, 0xfd], "is compressed with zstd; decompress it first"),
            (Array("PK\u{3}\u{4}".utf8), "is a zip archive; extract the database first"),
            (
                Array("** This file contains an SQLite 2.1".utf8),
                "is a database of SQLite 2; convert it with: sqlite .dump | sqlite3 new.sqlite"
            ),
            ([0x37, 0x7f, 0x06], "is a write-ahead log; name the database without -wal"),
            (
                [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
                "is a rollback journal; name the database without -journal"
            ),
            (
                Array("SQLite format 3\0".utf8),
                "has a damaged SQLite header: restore it from a backup, or try sqlite3 .recover"
            ),
        ]
        if let kind = kinds.first(where: { bytes.starts(with: $0.0) }) { return kind.1 }
        if bytes.allSatisfy({ $0 == 0 }) {
            return "begins with zeros instead of a SQLite header: restore it from a backup"
        }
        if size % 512 == 0, size >= 512, entropy(bytes.prefix(512)) > 7.3 {
            return "looks encrypted: its first bytes are random. Examine a decrypted copy, made "
                + "by the program that has its key"
        }
        let isText = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
        return isText
            ? "is a text file, and no SQLite database; check the path"
            : "is no SQLite database: its first bytes are not those of one; check the path"
    }

    /// The bits of information in a byte: 8 where each value is as frequent as any other.
    ///
    /// Of 512 random bytes, it is about 7.6.
    private static func entropy(_ bytes: ArraySlice<UInt8>) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        return counts.filter { $0 > 0 }.reduce(0) { sum, count in
            let share = Double(count) / Double(bytes.count)
            return sum - share * log2(share)
        }
    }
}
