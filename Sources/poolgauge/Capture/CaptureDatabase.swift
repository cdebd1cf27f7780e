import Capture
import EngineTarget
import Foundation
import SQLiteWatch
import Scenarios
import Telemetry
import WorkloadEngine

/// The tables of the captured database and the ranges of their columns.
struct CaptureDatabase {
    let schema: CaptureSchema
    /// The words of the full-text indexes.
    let words: FullTextWords

    /// The number of rows up to which a table is scanned for the ranges of columns without an
    /// index.
    private static let maximumScannedRows: Int64 = 2_000_000

    /// Reads a copy of the database.
    ///
    /// - Parameters:
    ///   - copy: The copy, which SQLite opens and may change.
    ///   - path: The path of the captured database, for error messages.
    /// - Throws: ``CommandFailure`` if SQLite cannot read the copy.
    init(_ copy: CaptureCopy, of path: String) throws {
        do {
            let arm = Arm(name: "capture", kind: .queue)
            let target = try EngineTargetFactory().open(arm, at: copy.file.path)
            defer { try? target.close() }
            schema = CaptureSchema(try Self.tables(of: target))
            words = try Self.words(of: target)
        } catch {
            throw Self.failure(error, of: path)
        }
    }

    /// Returns the failure for a database whose copy cannot be read.
    static func failure(_ error: any Error, of path: String) -> CommandFailure {
        let problem = DatabaseProblem.text(
            for: error,
            at: path,
            named: path,
            "cannot be read",
            classifiedBy: EngineTargetFactory()
        )
        return CommandFailure(problem ?? "'\(path)' cannot be read: \(error)")
    }

    private static func words(of target: any WorkloadTarget) throws -> FullTextWords {
        var names: [String] = []
        try target.perform(.read, as: WorkloadClientName("capture")) { session in
            let rows = try session.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' "
                    + "AND sql LIKE 'CREATE VIRTUAL TABLE%USING%fts5%'",
                []
            )
            for case .text(let name)? in rows.map(\.first) { names.append(name) }
        }
        let reader = DraftTableReader(target)
        var words: [String: [FullTextWords.Word]] = [:]
        var pairs: [String: [FullTextWords.Word]] = [:]
        let deadline = ContinuousClock.now + DraftTableReader.pairTime
        for name in names {
            let found = (try? reader.words(of: name)) ?? []
            words[name] = found
            pairs[name] = (try? reader.pairs(of: found, in: name, until: deadline)) ?? []
        }
        return FullTextWords(words, pairs: pairs)
    }

    static func tables(of target: any WorkloadTarget) throws -> [CaptureSchema.Table] {
        var tables: [CaptureSchema.Table] = []
        try target.perform(.read, as: WorkloadClientName("capture")) { session in
            let names = try session.rows(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                    + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
                []
            )
            for case .text(let name)? in names.map(\.first) {
                tables.append(try Self.table(name, session: session))
            }
        }
        return tables
    }

    private static func table(
        _ name: String,
        session: any WorkloadSession
    ) throws -> CaptureSchema.Table {
        let rows = try session.rows(
            "SELECT name, type, pk FROM pragma_table_info(?)",
            [.text(name)]
        )
        let keyLength = rows.count { $0.count > 2 && $0[2] != .integer(0) }
        let (unique, leading) = try indexedColumns(of: name, session)
        let references = try session.rows(
            "SELECT lower(\"from\") FROM pragma_foreign_key_list(?)",
            [.text(name)]
        ).compactMap(\.first)
        var columns: [CaptureSchema.Column] = rows.compactMap { row in
            guard row.count == 3, case .text(let column) = row[0] else { return nil }
            var type = ""
            if case .text(let declared) = row[1] { type = declared }
            let isKey = row[2] != .integer(0)
            let isLast = row[2] == .integer(Int64(keyLength))
            return CaptureSchema.Column(
                name: column,
                type: type,
                isRowID: isKey && keyLength == 1 && type.uppercased() == "INTEGER",
                isUnique: isKey && isLast || unique.contains(column),
                isForeignKey: references.contains(.text(column.lowercased()))
            )
        }
        try addRanges(to: &columns, of: name, leading: leading, session)
        return CaptureSchema.Table(name: name, columns: columns)
    }

    /// Returns the last column of each unique index and the first column of each index.
    private static func indexedColumns(
        of table: String,
        _ session: any WorkloadSession
    ) throws -> (unique: Set<String>, leading: Set<String>) {
        let rows = try session.rows(
            """
            SELECT i.name, c.name, i."unique", c.seqno,
              (SELECT max(seqno) FROM pragma_index_info(i.name)) AS last
            FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
            """,
            [.text(table)]
        )
        var unique: Set<String> = []
        var leading: Set<String> = []
        for row in rows {
            guard row.count == 5, case .text(let column) = row[1] else { continue }
            if row[2] == .integer(1), row[3] == row[4] { unique.insert(column) }
            if row[3] == .integer(0) { leading.insert(column) }
        }
        return (unique, leading)
    }

    private static func addRanges(
        to columns: inout [CaptureSchema.Column],
        of table: String,
        leading: Set<String>,
        _ session: any WorkloadSession
    ) throws {
        let quoted = quote(table)
        let counted = try session.rows(
            "SELECT count(*) FROM (SELECT 1 FROM \(quoted) LIMIT \(maximumScannedRows))",
            []
        ).first?.first
        guard case .integer(var rows)? = counted else { return }
        let isSmall = rows < maximumScannedRows
        for index in columns.indices where columns[index].type.uppercased().contains("INT") {
            let column = columns[index]
            guard isSmall || column.isRowID || leading.contains(column.name) else { continue }
            let name = quote(column.name)
            // SQLite uses an index for a single min or max, but not for both in the same query.
            let bounds = try ["min", "max"].map {
                try session.rows("SELECT \($0)(\(name)) FROM \(quoted)", []).first?.first
            }
            if case .integer(let low)? = bounds[0], case .integer(let high)? = bounds[1] {
                columns[index].range = low...high
            }
        }
        if !isSmall { rows = try estimatedRows(of: quoted, session) ?? rows }
        for index in columns.indices where columns[index].isUnique {
            columns[index].distinctCount = Int(clamping: rows)
        }
    }

    /// Returns the number of rows of a large table if its keys are as dense as at its start, or `nil`
    /// if it has no rowid.
    private static func estimatedRows(
        of table: String,
        _ session: any WorkloadSession
    ) throws -> Int64? {
        let row = try? session.rows(
            """
            SELECT min(rowid), (SELECT rowid FROM \(table) ORDER BY rowid LIMIT 1 \
            OFFSET \(maximumScannedRows - 1)), (SELECT max(rowid) FROM \(table)) FROM \(table)
            """,
            []
        ).first
        guard let row, row.count == 3, case .integer(let first) = row[0],
            case .integer(let middle) = row[1], case .integer(let last) = row[2], middle > first
        else { return nil }
        let density = Double(maximumScannedRows) / (Double(middle) - Double(first) + 1)
        return Int64(min(max(0, (Double(last) - Double(first) + 1) * density), 1e15))
    }

    /// Quotes a name as an SQL identifier.
    static func quote(_ name: String) -> String {
        name.quoted(by: "\"")
    }
}

/// A copy of the captured database, used to read the schema and to run the scenario.
struct CaptureCopy {
    let file: URL
    /// The journal mode of the captured database: `wal`, or `delete` for any rollback journal mode.
    let journal: String

    /// The time to keep retrying while other programs write to the database.
    private static let retryLimit = Duration.seconds(3)

    /// Copies a database that may be in use by other programs.
    ///
    /// - Parameters:
    ///   - path: The path of the database. On Linux, this process does not open the database with
    ///     SQLite.
    ///   - folder: An empty folder for the copy.
    /// - Throws: ``CommandFailure`` with the reason and a remedy if the copy fails.
    init(of path: String, in folder: URL) throws {
        #if os(Linux)
        let report = try PrivateCopy.watch(path)
        try DatabaseFileProblem.check(report, path: path)
        journal = try Self.journal(of: path)
        let clock = ContinuousClock()
        let end = clock.now + Self.retryLimit
        while true {
            do throws(PrivateCopy.Problem) {
                let copy = try PrivateCopy.make(of: path, in: folder, report)
                file = URL(fileURLWithPath: copy.path)
                return
            } catch {
                if error.isTransient, clock.now < end { continue }
                throw Self.failure(error, path: path)
            }
        }
        #else
        journal = try Self.journal(of: path)
        file = folder.appendingPathComponent("copy.sqlite")
        do {
            try EngineTargetFactory().copyDatabase(at: path, to: file.path) { _ in }
        } catch {
            throw CaptureDatabase.failure(error, of: path)
        }
        #endif
    }

    #if os(Linux)
    private static func failure(_ problem: PrivateCopy.Problem, path: String) -> CommandFailure {
        var text = "'\(path)' cannot be copied: \(problem.reason)."
        if let remedy = problem.remedy { text += " \(remedy)" }
        if problem.isTransient {
            text +=
                " Start the capture before the load, because the database is copied before tracing "
                + "starts."
        }
        return CommandFailure(text, status: ExitStatus.failed.rawValue)
    }
    #endif

    /// Reads the journal mode from the header (<https://sqlite.org/fileformat.html>, offset 18).
    ///
    /// Call this method before SQLite opens the file in this process. Otherwise, closing this
    /// method's file descriptor would release SQLite's locks.
    private static func journal(of path: String) throws -> String {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path): the file cannot be read")
        }
        defer { try? file.close() }
        let header = Array(try file.read(upToCount: 20) ?? Data())
        guard header.isEmpty || header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw CommandFailure(
                "\(path) is not an SQLite database, or it is encrypted; specify the program's "
                    + "database"
            )
        }
        return header.count == 20 && header[18] == 2 ? "wal" : "delete"
    }
}

enum DatabaseReference {
    /// Returns the database path to write to a scenario file.
    ///
    /// The path is the file name if the database and the scenario are in the same folder, and the
    /// absolute path otherwise. `output` is the path of the scenario file, or `nil` for standard
    /// output.
    static func path(of database: String, from output: String?) -> String {
        let file = URL(fileURLWithPath: database).standardizedFileURL
        guard let output else { return file.path }
        let folder = URL(fileURLWithPath: output).standardizedFileURL.deletingLastPathComponent()
        let isInSameFolder = file.deletingLastPathComponent().path == folder.path
        return isInSameFolder ? file.lastPathComponent : file.path
    }
}
