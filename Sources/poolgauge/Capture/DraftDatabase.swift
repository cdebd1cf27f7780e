import Capture
import EngineTarget
import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// The data for a draft: tables, statements, and words from full-text indexes.
struct DraftDatabase {
    /// The tables and views with the ranges of their columns.
    let schema: CaptureSchema
    /// The tables for which statements can be generated, most rows first.
    let tables: [DraftTable]
    /// Words from the full-text indexes, by table name.
    let words: FullTextWords
    /// The reasons that writes failed on the copy, by table name.
    private(set) var failures: [String: String] = [:]
    /// The statements for each table, excluding writes that failed on the copy.
    private(set) var statements: [(table: DraftTable, statements: TableStatements)] = []

    /// The number of attempts for each write, with different rows, because each row may violate
    /// different constraints.
    private static let trialCount = 5

    /// Reads a copy of a database.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, which SQLite opens and may change.
    ///   - original: The path of the original database, for error messages.
    ///   - triesStatements: Whether to generate statements and try the writes on the copy.
    ///   - statements: The user's statements, which are checked for unknown names.
    /// - Throws: ``CommandFailure`` if SQLite cannot read the copy, or for an unknown name.
    init(
        copy path: String,
        of original: String,
        triesStatements: Bool,
        checking statements: [String] = []
    ) throws {
        do {
            let arm = Arm(name: "draft", kind: .queue)
            let target = try EngineTargetFactory().open(arm, at: path)
            defer { try? target.close() }
            for sql in statements { try Self.checkNames(in: sql, on: target) }
            schema = CaptureSchema(try CaptureDatabase.tables(of: target))
            let reader = DraftTableReader(target)
            tables = try reader.tables().sorted { ($1.rows, $0.name) < ($0.rows, $1.name) }
            var words: [String: [FullTextWords.Word]] = [:]
            for table in tables {
                guard case .fullText = table.kind else { continue }
                words[table.name] = (try? reader.words(of: table.name)) ?? []
            }
            self.words = FullTextWords(words)
            if triesStatements { tryStatements(on: target) }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CaptureDatabase.failure(error, of: original)
        }
    }

    /// Throws an error for an unknown column or function in a statement, or for a wrong number of
    /// values.
    private static func checkNames(in sql: String, on target: any WorkloadTarget) throws {
        do { try target.check(sql) } catch {
            let text = "\(error)"
            for pattern in [
                /table .+ has \d+ columns but \d+ values were supplied/,
                /\d+ values for \d+ columns/,
            ] {
                guard let match = text.firstMatch(of: pattern) else { continue }
                throw CommandFailure("'\(sql)': \(match.output)")
            }
            guard let missing = MissingName(in: text), missing.kind != "table" else { return }
            throw CommandFailure("'\(sql)': \(missing)\(missing.hint(on: target))")
        }
    }

    private mutating func tryStatements(on target: any WorkloadTarget) {
        for table in tables where table.rows > 0 {
            var tableStatements = TableStatements(table)
            if let write = tableStatements.write,
                let problem = Self.problem(with: write, on: target)
            {
                failures[table.name] = problem
                tableStatements.removeWrite()
            }
            statements.append((table, tableStatements))
        }
    }

    private struct Undo: Error {}

    /// Returns the reason that a statement fails, or `nil` if the statement succeeds.
    private static func problem(
        with statement: TableStatements.Statement,
        on target: any WorkloadTarget
    ) -> String? {
        for _ in 0..<trialCount {
            do {
                try target.perform(.write, as: WorkloadClientName("draft")) { session in
                    _ = try session.run(statement.trial, [])
                    throw Undo()
                }
            } catch is Undo {
                continue
            } catch {
                return "\(error)"
            }
        }
        return nil
    }
}

struct DraftTableReader {
    private let target: any WorkloadTarget

    init(_ target: any WorkloadTarget) { self.target = target }

    private func rows(_ sql: String, _ values: [WorkloadValue] = []) throws -> [[WorkloadValue]] {
        var rows: [[WorkloadValue]] = []
        try target.perform(.read, as: WorkloadClientName("draft")) {
            rows = try $0.rows(sql, values)
        }
        return rows
    }

    func tables() throws -> [DraftTable] {
        try rows(
            """
            SELECT l.name, l.type, l.wr, m.sql FROM pragma_table_list AS l
            JOIN sqlite_master AS m ON m.type = 'table' AND m.name = l.name
            WHERE l.schema = 'main' AND l.type IN ('table', 'virtual')
              AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        ).compactMap { row in
            guard row.count == 4, case .text(let name) = row[0],
                let kind = Self.kind(type: row[1], withoutRowID: row[2], sql: row[3])
            else { return nil }
            return try table(name, kind: kind)
        }
    }

    private static func kind(
        type: WorkloadValue,
        withoutRowID: WorkloadValue,
        sql: WorkloadValue
    ) -> DraftTable.Kind? {
        if type == .text("table") {
            return withoutRowID == .integer(1) ? .withoutRowID : .plain
        }
        guard case .text(let sql) = sql else { return nil }
        let text = sql.lowercased()
        guard text.firstMatch(of: /using\s+fts5/) != nil else { return nil }
        return .fullText(ownsContent: text.firstMatch(of: /content\s*=/) == nil)
    }

    private func table(_ name: String, kind: DraftTable.Kind) throws -> DraftTable {
        let columns = try rows(
            "SELECT name, pk, hidden FROM pragma_table_xinfo(?)",
            [.text(name)]
        ).compactMap { row -> DraftTable.Column? in
            guard row.count == 3, case .text(let column) = row[0], case .integer(let key) = row[1]
            else { return nil }
            // The hidden columns of a full-text table contain no text.
            if case .fullText = kind, row[2] != .integer(0) { return nil }
            return .init(name: column, primaryKeyIndex: Int(key), isWritable: row[2] == .integer(0))
        }
        let references = try rows(
            "SELECT DISTINCT \"from\" FROM pragma_foreign_key_list(?)",
            [.text(name)]
        ).compactMap { row in
            if case .text(let column)? = row.first { column } else { nil }
        }
        return DraftTable(
            name: name,
            kind: kind,
            rows: try count(of: name, kind),
            columns: columns,
            indexes: try indexes(of: name),
            references: Set(references)
        )
    }

    private func count(of name: String, _ kind: DraftTable.Kind) throws -> Int {
        let quoted = CaptureDatabase.quote(name)
        var sql = "SELECT count(*) FROM \(quoted)"
        if kind != .withoutRowID {
            // Count the rows of a small table. For a large table, the largest rowid is a fast
            // estimate.
            sql = """
                SELECT CASE WHEN coalesce((SELECT max(rowid) FROM \(quoted)), 0) < 2000000
                THEN (SELECT count(*) FROM \(quoted))
                ELSE (SELECT max(rowid) FROM \(quoted)) END
                """
        }
        if case .integer(let count)? = try rows(sql).first?.first { return Int(clamping: count) }
        return 0
    }

    private func indexes(of name: String) throws -> [DraftTable.Index] {
        let indexRows = try rows(
            """
            SELECT i.seq, i."unique", i.partial, c.name, i.origin
            FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
            ORDER BY i.seq, c.seqno
            """,
            [.text(name)]
        )
        var order: [WorkloadValue] = []
        var indexes: [WorkloadValue: DraftTable.Index] = [:]
        for row in indexRows where row.count == 5 && row[4] != .text("pk") {
            if indexes[row[0]] == nil {
                order.append(row[0])
                indexes[row[0]] = .init(
                    columns: [],
                    isUnique: row[1] == .integer(1),
                    isPartial: row[2] == .integer(1)
                )
            }
            var column: String?
            if case .text(let name) = row[3] { column = name }
            indexes[row[0]]?.columns.append(column)
        }
        return order.compactMap { indexes[$0] }
    }

    /// The number of the most frequent words of a full-text index to read, and of the others.
    private static let wordCounts: [WorkloadValue] = [.integer(200), .integer(2_000)]

    /// Returns frequent and rare words in a full-text index, the most frequent first.
    func words(of table: String) throws -> [FullTextWords.Word] {
        var words: [FullTextWords.Word] = []
        try target.perform(.writeWithoutTransaction, as: WorkloadClientName("draft")) { session in
            let name = table.quoted(by: "'")
            _ = try session.run(
                "CREATE VIRTUAL TABLE temp.poolgauge_words USING fts5vocab(main, \(name), row)",
                []
            )
            defer { _ = try? session.run("DROP TABLE temp.poolgauge_words", []) }
            // Use only letters. Other characters could be operators in a MATCH expression.
            let rows = try session.rows(
                """
                WITH usable AS (SELECT term, doc, row_number() OVER (ORDER BY doc DESC, term) AS place
                  FROM temp.poolgauge_words
                  WHERE length(term) > 2 AND term NOT GLOB '*[^a-z]*'
                    AND term NOT IN ('and', 'not', 'near'))
                SELECT term, doc FROM usable
                WHERE place <= ?1 OR place % max(1, (SELECT count(*) FROM usable) / ?2) = 0
                ORDER BY place
                """,
                Self.wordCounts
            )
            for row in rows {
                guard row.count == 2, case .text(let word) = row[0],
                    case .integer(let rows) = row[1]
                else { continue }
                words.append(FullTextWords.Word(word, rows: Int(clamping: rows)))
            }
        }
        return words
    }

    /// The number of pairs of words to read, the number of the most frequent words among which to
    /// find them, and the largest number of rows to count for each.
    private static let pairCount = 300
    private static let pairWords = 300.0
    private static let pairRows: Int64 = 1_000
    /// The time that the pairs of all tables may take.
    static let pairTime = Duration.seconds(1)

    /// Returns pairs of frequent words in a full-text index, with the number of rows that contain
    /// both words of each.
    ///
    /// The search for pairs ends at a deadline.
    func pairs(
        of words: [FullTextWords.Word],
        in table: String,
        until deadline: ContinuousClock.Instant
    ) throws -> [FullTextWords.Word] {
        guard words.count > 1 else { return [] }
        var random = RandomStream(seed: 0, stream: "pairs of words")
        let limit = min(Double(words.count), Self.pairWords)
        // Programs search for frequent words more often.
        func next() -> String { words[Int(pow(limit, random.nextUnit())) - 1].text }
        let name = table.quoted(by: "\"")
        var pairs: [FullTextWords.Word] = []
        var tried: Set<Set<String>> = []
        try target.perform(.read, as: WorkloadClientName("draft")) { session in
            for _ in 0..<Self.pairCount where ContinuousClock.now < deadline {
                let (first, second) = (next(), next())
                guard first != second, tried.insert([first, second]).inserted else { continue }
                let rows = try session.rows(
                    "SELECT count(*) FROM (SELECT 1 FROM \(name) WHERE \(name) MATCH ? LIMIT ?)",
                    [.text("\(first) \(second)"), .integer(Self.pairRows)]
                )
                if case .integer(let count)? = rows.first?.first, count > 0 {
                    pairs.append(
                        FullTextWords.Word("\(first) \(second)", rows: Int(clamping: count))
                    )
                }
            }
        }
        return pairs
    }
}
