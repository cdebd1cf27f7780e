import Findings
import Foundation
import SQLiteWatch
import Text
import WorkloadEngine

/// A check that rejects files that are not databases, and suggests remedies.
enum DatabaseFileProblem {
    /// The number of bytes to examine if a file is not a database.
    private static let examinedLength = 4_096

    /// Throws ``CommandFailure`` if the file is not a readable database.
    static func check(_ report: WatchReport, path: String) throws {
        let name = Escaping.terminal(path)
        switch report.file.state {
        case .present: return
        case .missing: throw CommandFailure("there is no file '\(name)'; check the path")
        case .empty:
            throw CommandFailure(
                "'\(name)' is empty: no transaction has written to it; restore it from a backup, "
                    + "or run the program that creates its tables"
            )
        case .unreadable:
            throw CommandFailure(
                "'\(name)' cannot be read: \(report.file.problem ?? "unknown reason")",
                status: ExitStatus.failed.rawValue
            )
        case .notADatabase: throw CommandFailure("'\(name)' \(description(of: path))")
        }
    }

    /// Returns a description of a file that has data but no SQLite header, or `nil` for any other
    /// file.
    static func headerProblem(of path: String) -> String? {
        var information = stat()
        // Opening a named pipe would wait for a writer.
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            let file = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? file.close() }
        let header = "SQLite format 3\0"
        guard let bytes = try? file.read(upToCount: header.utf8.count), !bytes.isEmpty,
            !bytes.elementsEqual(header.utf8)
        else { return nil }
        return description(of: path)
    }

    private static func description(of path: String) -> String {
        var information = stat()
        guard stat(path, &information) == 0 else { return "is not an SQLite database" }
        let type = information.st_mode & S_IFMT
        if type == S_IFDIR { return "is a folder; specify a database file in it" }
        guard type == S_IFREG else { return "is not a regular file; specify a database file" }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "is not an SQLite database" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: examinedLength)
        bytes.removeLast(examinedLength - max(0, read(descriptor, &bytes, examinedLength)))
        return description(of: bytes, size: Int(information.st_size))
    }

    /// Describes a file that is not a database, based on its first bytes, with a remedy.
    static func description(of bytes: [UInt8], size: Int) -> String {
        let kinds: [([UInt8], String)] = [
            ([0x1f, 0x8b], "is compressed with gzip; decompress it first"),
            ([0x28, 0xb5, 0x2f, 0xfd], "is compressed with zstd; decompress it first"),
            (Array("PK\u{3}\u{4}".utf8), "is a zip archive; extract the database first"),
            (
                Array("** This file contains an SQLite 2.1".utf8),
                "is an SQLite 2 database; convert it with: sqlite .dump | sqlite3 new.sqlite"
            ),
            ([0x37, 0x7f, 0x06], "is a write-ahead log; specify the database without -wal"),
            (
                [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
                "is a rollback journal; specify the database without -journal"
            ),
            (
                Array("SQLite format 3\0".utf8),
                "has a damaged SQLite header; restore it from a backup, or try sqlite3 .recover"
            ),
        ]
        if let kind = kinds.first(where: { bytes.starts(with: $0.0) }) { return kind.1 }
        if bytes.allSatisfy({ $0 == 0 }) {
            return "starts with zeros instead of an SQLite header; restore it from a backup"
        }
        if size % 512 == 0, size >= 512, entropy(bytes.prefix(512)) > 7.3 {
            return "appears to be encrypted, because its first bytes look random; export a "
                + "decrypted copy with the program that has the key, and check that copy"
        }
        let isText = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
        return isText
            ? "is a text file, not an SQLite database; check the path"
            : "is not an SQLite database: it does not start with an SQLite header; check the path"
    }

    /// Returns the entropy, in bits per byte.
    ///
    /// The entropy is 8 if all values are equally frequent, and about 7.6 for 512 random bytes.
    private static func entropy(_ bytes: ArraySlice<UInt8>) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        return counts.filter { $0 > 0 }.reduce(0) { sum, count in
            let share = Double(count) / Double(bytes.count)
            return sum - share * log2(share)
        }
    }
}
