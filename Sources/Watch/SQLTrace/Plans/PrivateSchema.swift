import CSQLite
import SQLText

/// An empty in-memory database with the tables of a watched database.
///
/// The schema and the statements come from other programs. Only single `CREATE` statements for
/// tables, indexes, views, and triggers are executed. All other statements are only explained. An
/// authorizer denies every action that these operations do not need.
package final class PrivateSchema {
    private let connection: OpaquePointer
    private let authorization = Authorization()

    /// The authorizer's state, which the connection references by pointer.
    private final class Authorization {
        var phase = Phase.schema
        /// The columns that a statement reads, while they are collected.
        var reads: [ReadColumn]?
    }

    /// A column of a table that a statement reads.
    struct ReadColumn: Hashable {
        var table: String
        var column: String
    }

    private enum Phase {
        /// The schema is being created, and only the schema is read.
        case schema
        case statements
        /// Indexes are created and removed.
        case indexes
    }

    /// The maximum length of a statement, in bytes.
    private static let textLimit: Int32 = 1 << 18
    /// The maximum number of rows to read.
    private static let rowLimit = 10_000

    /// Creates the tables, or returns `nil` if no private database can be opened.
    ///
    /// Objects that require an extension or an application-defined function are omitted. Virtual
    /// tables are omitted because creating them would run their modules.
    package init?(_ schema: [String]) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
        guard sqlite3_open_v2(":memory:", &opened, flags, nil) == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            return nil
        }
        connection = opened
        sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(opened, SQLITE_LIMIT_SQL_LENGTH, Self.textLimit)
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.textLimit)
        for (setting, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ] {
            guard poolgauge_db_config(opened, setting, Int32(value), nil) == SQLITE_OK else {
                return nil
            }
        }
        let pointer = Unmanaged.passUnretained(authorization).toOpaque()
        sqlite3_set_authorizer(
            opened,
            { state, action, first, second, database, _ in
                guard let state else { return SQLITE_DENY }
                let authorization = Unmanaged<Authorization>.fromOpaque(state).takeUnretainedValue()
                let name = first.map { String(cString: $0) }
                let schema = database.map { String(cString: $0) }
                if action == SQLITE_READ, authorization.reads != nil, let name, let second {
                    let column = ReadColumn(table: name, column: String(cString: second))
                    if !column.column.isEmpty, authorization.reads?.contains(column) == false {
                        authorization.reads?.append(column)
                    }
                }
                return PrivateSchema.permits(
                    action,
                    name: name,
                    schema: schema,
                    phase: authorization.phase
                )
                    ? SQLITE_OK : SQLITE_DENY
            },
            pointer
        )
        for text in schema where Self.isCreation(text) {
            // Only the first statement of the text is prepared.
            guard let statement = prepare(text) else { continue }
            sqlite3_step(statement)
            sqlite3_finalize(statement)
        }
        authorization.phase = .statements
    }

    deinit { sqlite3_close_v2(connection) }

    /// Returns whether text begins with a statement that creates a table, an index, a view, or a
    /// trigger.
    static func isCreation(_ text: String) -> Bool {
        let words = SQLToken.significant(in: text).prefix(3).map(\.keyword)
        let kinds: Set<String> = ["TABLE", "INDEX", "VIEW", "TRIGGER"]
        guard words.first == "CREATE" else { return false }
        let second = words.dropFirst().first ?? ""
        return kinds.contains(second)
            || second == "UNIQUE" && words.dropFirst(2).first == "INDEX"
    }

    private static func permits(
        _ action: Int32,
        name: String?,
        schema: String?,
        phase: Phase
    ) -> Bool {
        guard schema == nil || schema == "main" else { return false }
        return switch (action, phase) {
        case (SQLITE_READ, _), (SQLITE_RECURSIVE, _): true
        case (SQLITE_FUNCTION, _): true
        case (SQLITE_CREATE_TABLE, .schema), (SQLITE_CREATE_INDEX, .schema),
            (SQLITE_CREATE_VIEW, .schema), (SQLITE_CREATE_TRIGGER, .schema),
            (SQLITE_REINDEX, .schema):
            true
        // A CREATE statement writes its row into the schema.
        case (SQLITE_INSERT, .schema), (SQLITE_UPDATE, .schema), (SQLITE_DELETE, .schema):
            name == "sqlite_master" || name == "sqlite_sequence"
        case (SQLITE_SELECT, .statements), (SQLITE_INSERT, .statements),
            (SQLITE_UPDATE, .statements), (SQLITE_DELETE, .statements):
            true
        case (SQLITE_PRAGMA, .statements):
            ["table_info", "foreign_key_list", "index_list", "index_xinfo"].contains(name)
        case (SQLITE_CREATE_INDEX, .indexes), (SQLITE_DROP_INDEX, .indexes),
            (SQLITE_REINDEX, .indexes), (SQLITE_SAVEPOINT, .indexes), (SQLITE_SELECT, .indexes):
            true
        case (SQLITE_INSERT, .indexes), (SQLITE_UPDATE, .indexes), (SQLITE_DELETE, .indexes):
            name == "sqlite_master"
        default: false
        }
    }

    /// The names of all schema objects and of the columns of tables, in lowercase.
    var names: [String] {
        let text =
            "SELECT lower(name) FROM sqlite_schema UNION SELECT lower(c.name) FROM sqlite_schema AS s, "
            + "pragma_table_info(s.name) AS c WHERE s.type = 'table'"
        guard let statement = prepare(text) else { return [] }
        return rows(of: statement, column: 0)
    }

    /// Returns the steps of a statement's plan, or an empty array if the statement cannot be
    /// prepared.
    func plan(of text: String) -> [String] {
        guard let statement = prepare("EXPLAIN QUERY PLAN " + text) else { return [] }
        // 2 means EXPLAIN QUERY PLAN, so the statement is not executed.
        guard sqlite3_stmt_isexplain(statement) == 2 else {
            sqlite3_finalize(statement)
            return []
        }
        return rows(of: statement, column: 3)
    }

    // MARK: Indexes

    /// Returns the columns of tables that a statement reads, in the order of its text.
    func columnsRead(by text: String) -> [ReadColumn] {
        authorization.reads = []
        defer { authorization.reads = nil }
        guard let statement = prepare("EXPLAIN QUERY PLAN " + text) else { return [] }
        sqlite3_finalize(statement)
        return authorization.reads ?? []
    }

    /// Returns the plan of a statement if the indexes existed.
    ///
    /// Indexes that cannot be created, for example on a view, are omitted.
    func plan(of text: String, with indexes: [ProposedIndex]) -> [String] {
        rolledBack {
            for (number, index) in indexes.enumerated() {
                run(index.creation(named: "\(Self.prefix)\(number)"))
            }
            return plan(of: text)
        }
    }

    /// Returns those of the indexes that the plan of a statement uses if all exist.
    func indexesUsed(by text: String, from indexes: [ProposedIndex]) -> [ProposedIndex] {
        let plan = plan(of: text, with: indexes)
        return indexes.indices.filter { number in
            plan.contains { line in
                line.hasPrefix("SEARCH") && line.contains("INDEX \(Self.prefix)\(number) ")
            }
        }.map { indexes[$0] }
    }

    /// Whether an index exists whose first columns are those of another index.
    func isCovered(_ index: ProposedIndex) -> Bool {
        guard index.filter == nil else { return false }
        let query =
            "SELECT l.name, x.name, x.coll, x.desc FROM pragma_index_list(\(Self.literal(index.table))) "
            + "AS l, pragma_index_xinfo(l.name) AS x WHERE NOT l.partial AND x.key ORDER BY l.name, "
            + "x.seqno"
        var existing: [String: [ProposedIndex.Column]] = [:]
        for row in prepare(query).map(table(of:)) ?? [] where row.count == 4 {
            existing[row[0], default: []].append(
                .init(name: row[1].lowercased(), collation: row[2], isDescending: row[3] == "1")
            )
        }
        let columns = index.columns.map { column in
            ProposedIndex.Column(
                name: column.name.lowercased(),
                collation: column.collation ?? collation(of: column.name, in: index.table),
                isDescending: column.isDescending
            )
        }
        return existing.values.contains { $0.starts(with: columns) }
    }

    /// The existing indexes whose first column is a certain column, with the column's collation.
    func indexes(on column: String, of table: String) -> [(name: String, collation: String)] {
        let query =
            "SELECT l.name, x.name, x.coll FROM pragma_index_list(\(Self.literal(table))) AS l, "
            + "pragma_index_xinfo(l.name) AS x WHERE NOT l.partial AND x.seqno = 0"
        return (prepare(query).map(self.table(of:)) ?? []).filter {
            $0.count == 3 && $0[1].lowercased() == column.lowercased()
        }.map { ($0[0], $0[2]) }
    }

    /// The collation of a column's own index.
    private func collation(of column: String, in table: String) -> String {
        rolledBack {
            let name = Self.prefix + "own"
            run(ProposedIndex(table: table, columns: [.init(name: column)]).creation(named: name))
            let query = "SELECT coll FROM pragma_index_xinfo('\(name)') WHERE seqno = 0"
            return prepare(query).map { rows(of: $0, column: 0) }?.first ?? "BINARY"
        }
    }

    /// The declared type of a column, or `nil` if there is no such column.
    func declaredType(of column: ReadColumn) -> String? {
        let query =
            "SELECT lower(name), type FROM pragma_table_info(\(Self.literal(column.table)))"
        return (prepare(query).map(table(of:)) ?? []).first {
            $0.first == column.column.lowercased()
        }?
        .last
    }

    /// The tables between which there are foreign keys, in lowercase.
    var keyTables: [String] {
        let query =
            "SELECT lower(m.name), lower(f.\"table\") FROM sqlite_schema AS m, "
            + "pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'"
        return Array(Set((prepare(query).map(table(of:)) ?? []).joined())).sorted()
    }

    /// A foreign key whose child table must be read completely to find the rows of a parent.
    struct UnindexedKey {
        var index: ProposedIndex
        var parent: String
    }

    /// The foreign keys without an index.
    func unindexedKeys() -> [UnindexedKey] {
        let query =
            "SELECT m.name, f.id, f.\"table\", f.\"from\" FROM sqlite_schema AS m, "
            + "pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY 1, 2, f.seq"
        var keys: [UnindexedKey] = []
        var last: [String] = []
        for row in prepare(query).map(table(of:)) ?? [] where row.count == 4 {
            let column = ProposedIndex.Column(name: row[3])
            if Array(row[..<2]) == last {
                keys[keys.count - 1].index.columns.append(column)
            } else {
                let index = ProposedIndex(table: row[0], columns: [column])
                keys.append(UnindexedKey(index: index, parent: row[2]))
            }
            last = Array(row[..<2])
        }
        return keys.filter { key in
            let condition = key.index.columns.map { "\(SQLIdentifier.text($0.name)) = ?" }
                .joined(separator: " AND ")
            let table = SQLIdentifier.text(key.index.table)
            return plan(of: "SELECT 1 FROM \(table) WHERE \(condition)")
                .contains { $0.hasPrefix("SCAN") }
        }
    }

    private static func literal(_ text: String) -> String {
        var quoted = "'".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("'")
        return String(quoted)
    }

    /// Returns the result of a closure during which the schema has no index but those of
    /// constraints.
    func withoutIndexes<Result>(_ body: () -> Result) -> Result {
        rolledBack {
            let query = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOTNULL"
            for name in prepare(query).map({ rows(of: $0, column: 0) }) ?? [] {
                run("DROP INDEX \(SQLIdentifier.text(name))")
            }
            return body()
        }
    }

    /// The start of the names of indexes that are tried.
    private static let prefix = "poolgauge_tried_"

    private func rolledBack<Result>(_ body: () -> Result) -> Result {
        run("SAVEPOINT poolgauge")
        defer {
            run("ROLLBACK TO poolgauge")
            run("RELEASE poolgauge")
        }
        return body()
    }

    /// Runs a statement of this class, and ignores its failure.
    private func run(_ text: String) {
        let phase = authorization.phase
        authorization.phase = .indexes
        defer { authorization.phase = phase }
        guard let statement = prepare(text) else { return }
        sqlite3_step(statement)
        sqlite3_finalize(statement)
    }

    private func prepare(_ text: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, text, -1, &statement, nil)
        return code == SQLITE_OK ? statement : nil
    }

    /// Returns one column of a statement's rows, and finalizes the statement.
    private func rows(of statement: OpaquePointer, column: Int) -> [String] {
        table(of: statement).map { $0[column] }
    }

    /// Returns a statement's rows, and finalizes the statement.
    private func table(of statement: OpaquePointer) -> [[String]] {
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW, rows.count < Self.rowLimit {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                }
            )
        }
        return rows
    }
}
