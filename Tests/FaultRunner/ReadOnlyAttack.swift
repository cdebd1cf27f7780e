import FaultPaths
import Foundation
import SQLiteEngine

/// An attack that makes a file and its folder read-only while a database is open.
///
/// The open descriptors stay writable. A queue cannot create a journal, so its writes fail with an
/// explanation. A pool, whose log is open, continues. Another database object can only read until
/// the permissions are restored.
struct ReadOnlyAttack {
    func run() throws {
        // Permissions do not restrict the superuser. 65534 is an unprivileged user.
        if getuid() == 0 {
            try Violation.check(
                setgid(65_534) == 0 && setuid(65_534) == 0,
                "the user cannot be changed"
            )
        }
        var findings: [String] = []
        for subject in Subject.allCases {
            Report.write("\(subject)")
            do { try attack(subject) } catch { findings.append("\(subject): \(error)") }
        }
        Report.write(findings: findings, attacks: Subject.allCases.count)
    }

    private func attack(_ subject: Subject) throws {
        let folder = try FaultFolder()
        var rows = WrittenRows()
        let writer = try subject.open(folder.database)
        try WrittenRows.create(in: writer)
        try rows.write(writer)
        chmod(folder.database, 0o444)
        chmod(folder.url.path, 0o555)
        defer { chmod(folder.url.path, 0o755) }
        if subject == .queue {
            try expect("no journal can be created in the folder") { try rows.write(writer) }
        } else {
            try rows.write(writer)
        }
        if let problem = try writer.read({ try rows.contradiction(in: $0) }) {
            throw Violation(problem)
        }
        try expect("the file is not writable; change its permissions") {
            // SQLite opens the file for reading.
            let other = try subject.open(folder.database)
            _ = try other.read { try $0.tableExists("t") }
            try other.write { try $0.execute(sql: "DELETE FROM t") }
        }
        chmod(folder.database, 0o644)
        chmod(folder.url.path, 0o755)
        try rows.write(writer)
        if let problem = try writer.read({ try rows.contradiction(in: $0) }) {
            throw Violation(problem)
        }
        try writer.close()
        let reopened = try subject.open(folder.database)
        if let problem = try reopened.read({ try rows.contradiction(in: $0) }) {
            throw Violation("reopened: \(problem)")
        }
        try reopened.close()
    }

    /// Expects a database error that contains a string.
    private func expect(_ text: String, _ body: () throws -> Void) throws {
        do { try body() } catch let error as DatabaseError {
            try Violation.check("\(error)".contains(text), "`\(error)` does not contain `\(text)`")
            return
        }
        throw Violation("no error contains `\(text)`")
    }
}
