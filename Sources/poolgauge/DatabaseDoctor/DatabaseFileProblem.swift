import ArgumentParser
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

/// The findings of `doctor --database`.
///
/// The property names are the JSON keys.
struct DatabaseExamination: Encodable {
    /// The name and version of the JSON format.
    static let currentSchema = "poolgauge.database/1"

    struct Finding: Encodable, Equatable {
        enum Part: String, Encodable, CaseIterable {
            case file
            case journal
            case space
            case processes
            case copy
            case statistics
            case foreignKeys
        }

        var part: Part
        var mark: Doctor.Mark
        var text: String
        var remedy: String?
    }

    /// The copy used for the checks that require SQLite.
    struct Copy: Encodable, Equatable {
        /// The size of the copy, in bytes, or `nil` without a copy.
        var bytes: UInt64?
        /// The reason that no copy was made.
        var skipped: String?
    }

    var schema = DatabaseExamination.currentSchema
    var file: WatchedFile
    var wal: WatchedWAL?
    var rollback: WatchedRollback?
    var processes: [WatchedProcess]
    var copy: Copy
    var findings: [Finding]
    /// The limitations of the examination, with remedies.
    var notes: [String]

    var hasProblem: Bool { findings.contains { $0.mark == .problem } }

    /// The report as text, with one paragraph per finding and a newline at the end.
    var text: String {
        var lines = [Escaping.terminal(file.path)]
        for part in Finding.Part.allCases {
            let partFindings = findings.filter { $0.part == part }
            guard !partFindings.isEmpty else { continue }
            lines += ["", Self.title(part)]
            for finding in partFindings {
                let mark = finding.mark.rawValue
                let indent = String(repeating: " ", count: 11)
                lines += Paragraph.lines(
                    Escaping.terminal(finding.text),
                    first: "  \(mark)" + indent.dropFirst(2 + mark.count),
                    rest: indent
                )
                if let remedy = finding.remedy {
                    lines += Paragraph.lines(
                        "→ " + Escaping.terminal(remedy),
                        first: indent,
                        rest: indent
                    )
                }
            }
        }
        if !notes.isEmpty { lines += ["", "notes"] }
        for note in notes {
            lines += Paragraph.lines(Escaping.terminal(note), first: "  ", rest: "  ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func title(_ part: Finding.Part) -> String {
        switch part {
        case .foreignKeys: "foreign keys"
        default: part.rawValue
        }
    }
}

/// An examination of a database file that may be in use by other programs.
///
/// This process does not open the file with SQLite, lock it, or write to it. A ``WatchSession``
/// reads headers and locks. Checks that require SQLite run on a copy.
struct DatabaseDoctor {
    var path: String
    /// The size limit for the copy, in bytes.
    var copyLimit: UInt64 = 1 << 30

    /// The time to watch the database.
    ///
    /// The time exceeds the minimum duration of a reported lock or pin.
    private static let watchDuration = Duration.milliseconds(1_200)

    /// Examines the database.
    ///
    /// - Throws: ``CommandFailure`` if the file is not a readable database.
    func examine() throws -> DatabaseExamination {
        #if os(Linux)
        let report = try PrivateCopy.watch(path, for: Self.watchDuration)
        try DatabaseFileProblem.check(report, path: path)
        var findings = FileChecks(report: report).findings
        let copy = try examineCopy(report, findings: &findings)
        return DatabaseExamination(
            file: report.file,
            wal: report.wal,
            rollback: report.rollback,
            processes: report.processes,
            copy: copy,
            findings: findings,
            notes: report.notes
        )
        #else
        throw CommandFailure(
            "--database works only on Linux, where /proc/locks shows whether a database is in use",
            status: ExitStatus.failed.rawValue
        )
        #endif
    }

    #if os(Linux)
    /// Runs the checks that require SQLite on a temporary copy.
    private func examineCopy(
        _ report: WatchReport,
        findings: inout [DatabaseExamination.Finding]
    ) throws -> DatabaseExamination.Copy {
        let folder = try RunFolder(isKept: false)
        // Copying and checking may take a long time, so a signal ends the process immediately.
        let interruption = Interruption {
            folder.remove()
            CommandFailure.exit(with: ExitCode(ExitStatus.interrupted.rawValue))
        }
        defer {
            withExtendedLifetime(interruption) {}
            folder.remove()
        }
        do throws(PrivateCopy.Problem) {
            let copy = try PrivateCopy.make(of: path, in: folder.url, limit: copyLimit, report)
            findings += SchemaChecks.findings(on: copy.path)
            return DatabaseExamination.Copy(bytes: copy.bytes)
        } catch {
            findings.append(
                DatabaseExamination.Finding(
                    part: .copy,
                    mark: .note,
                    text: "Statistics and foreign keys were not checked, because the database "
                        + "could not be copied: \(error.reason).",
                    remedy: error.remedy
                )
            )
            return DatabaseExamination.Copy(skipped: error.reason)
        }
    }
    #endif
}
