import Findings
import SQLText

/// What a check knows about a database and the locks of its connections.
final class CheckedFile {
    typealias Report = (CheckObservation, Int32) -> Void

    /// The path in the programs, or `:memory:` for a database in memory, which has one connection.
    let path: String
    let isMemory: Bool
    /// Whether the program has set WAL mode, or `nil` if it has not set a mode.
    private(set) var isWAL: Bool?
    /// The tables with foreign keys, in lowercase, of which the program has created one.
    var keyTables: Set<String> = []
    /// Whether the program has created the schema.
    private var hasCreatedTables = false
    /// The time of the last execution.
    private(set) var lastUse: UInt64 = 0

    private var transactions = TransactionTracker()
    private var blocks = BlockTracker()
    private var connections: [ConnectionKey: Connection] = [:]
    /// The first change of each table by a connection that does not enforce foreign keys.
    private var unenforced: [String: Unenforced] = [:]
    private var withoutTimeout = WithoutTimeout()
    /// The largest number of connections that had written and were open at the same time.
    private var writerCount = 0
    private var oldVersion: (version: String, process: Int32)?
    private var long: [Span] = []
    private var waits: [Wait] = []

    static let tableLimit = 1_024
    private static let connectionLimit = 1_024
    private static let spanLimit = 32
    /// The shortest execution that can explain a wait, in nanoseconds.
    private static let shortestSpan: UInt64 = 5_000_000

    private struct Connection {
        var hasWritten = false
        /// Whether a transaction of the connection has read and is open.
        var reads = false
    }

    private struct Unenforced {
        var text: String
        var order: Int
        var count: UInt64 = 0
        var process: Int32
    }

    private struct WithoutTimeout {
        var writes: UInt64 = 0
        var reads: UInt64 = 0
        var write: String?
        var read: String?
        var process: Int32 = 0
    }

    /// A statement that ran for some time.
    private struct Span {
        var key: ConnectionKey
        var start: UInt64
        var end: UInt64
        var isWrite: Bool
    }

    /// A statement that waited for a lock whose holder is unknown.
    private struct Wait {
        var observation: CheckObservation
        var key: ConnectionKey
        var start: UInt64
        var end: UInt64
    }

    init(path: String, isMemory: Bool) {
        self.path = path
        self.isMemory = isMemory
    }

    /// Whether no connection is open.
    var isUnused: Bool { connections.isEmpty }

    // MARK: Executions

    func add(
        _ execution: StatementExecution,
        _ statement: CheckedStatement?,
        version: String?,
        _ settings: CheckSettings,
        _ report: Report
    ) {
        lastUse = max(lastUse, execution.end)
        guard !isMemory else { return }
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        guard connections[key] != nil || connections.count < Self.connectionLimit else { return }
        var connection = connections.removeValue(forKey: key) ?? Connection()
        defer { connections[key] = connection }
        findWait(execution, statement: statement, key: key, settings: settings, report: report)
        transactions.add(
            execution,
            sql: statement?.text,
            kind: statement?.kind ?? .other
        )
        connection.reads =
            !execution.isAutocommit && transactions.openTransactions[key]?.firstRead != nil
        guard let statement else { return }
        noteTimeout(execution, statement: statement, connection: connection)
        guard execution.result & 0xff == 0 else { return }
        if statement.kind.isWrite, !connection.hasWritten {
            connection.hasWritten = true
            writerCount = max(writerCount, 1 + connections.values.count(where: \.hasWritten))
        }
        if statement.kind == .schemaChange { hasCreatedTables = true }
        if let version, statement.kind.isWrite, SettingRules.hasResetBug(version) {
            oldVersion = (version, execution.process)
        }
        if let pragma = statement.pragma, pragma.name == "journal_mode", let mode = pragma.value {
            isWAL = mode.lowercased() == "wal"
        }
    }

    func end(_ key: ConnectionKey, at time: UInt64) {
        connections[key] = nil
        transactions.end(key, at: time)
    }

    /// Discards what later records cannot complete, because some are missing.
    func noteLoss() {
        for process in Set(connections.keys.map(\.process)) { transactions.forgetOpen(of: process) }
        blocks.forget()
        (long, waits) = ([], [])
    }

    // MARK: Waits

    private func findWait(
        _ execution: StatementExecution,
        statement: CheckedStatement?,
        key: ConnectionKey,
        settings: CheckSettings,
        report: Report
    ) {
        let upgrade = blocks.add(execution, sql: statement?.text, transactions)
        let start = min(execution.start ?? execution.end, execution.end)
        if upgrade.isUpgrade {
            var found = CheckObservation(.upgrade, statement?.text, related: upgrade.firstRead)
            found.failures = 1
            report(found, key.process)
        } else if let block = blocks.blocks.last, block.key == key, block.end == execution.end {
            noteWait(block, settings: settings, report: report)
        }
        guard execution.end - start >= Self.shortestSpan else { return }
        let span = Span(
            key: key,
            start: start,
            end: execution.end,
            isWrite: statement?.kind.isWrite == true
        )
        // The wait may have ended before the statement that caused it.
        waits.removeAll { wait in
            guard isCause(span, of: wait) else { return false }
            report(wait.observation, wait.key.process)
            return true
        }
        if long.count >= Self.spanLimit { long.removeFirst() }
        long.append(span)
    }

    private func noteWait(
        _ block: BlockTracker.Block,
        settings: CheckSettings,
        report: Report
    ) {
        let seconds = Double(block.length) / 1e9
        guard seconds >= settings[.selfWait, .longest] else { return }
        var found = CheckObservation(.selfWait, block.sql, measure: seconds)
        found.failures = block.failed ? 1 : 0
        if let blocker = block.blocker {
            guard blocker.key.process == block.key.process else { return }
            found.related = blocker.lastSQL
            return report(found, block.key.process)
        }
        let wait = Wait(
            observation: found,
            key: block.key,
            start: block.end - min(block.length, block.end),
            end: block.end
        )
        // With a rollback journal, a commit waits for the reads of other connections.
        let isRead = connections.contains { key, connection in
            key.process == block.key.process && key != block.key && connection.reads
        }
        if isRead && isWAL != true || long.contains(where: { isCause($0, of: wait) }) {
            return report(found, block.key.process)
        }
        if waits.count >= Self.spanLimit { waits.removeFirst() }
        waits.append(wait)
    }

    /// Whether a statement of another connection of the process ran during most of a wait.
    private func isCause(_ span: Span, of wait: Wait) -> Bool {
        guard span.key.process == wait.key.process, span.key != wait.key,
            span.isWrite || isWAL != true
        else { return false }
        let start = max(span.start, wait.start)
        let end = min(span.end, wait.end)
        return end > start && end - start >= (wait.end - wait.start) / 2
    }

    // MARK: Settings

    private func noteTimeout(
        _ execution: StatementExecution,
        statement: CheckedStatement,
        connection: Connection
    ) {
        guard execution.hasBusyHandler == false, !connections.isEmpty else { return }
        let isWrite =
            statement.kind.isWrite || statement.kind == .begin(.immediate)
            || statement.kind == .begin(.exclusive)
        if isWrite {
            withoutTimeout.writes &+= 1
            withoutTimeout.write = withoutTimeout.write ?? statement.text
        } else if statement.readsTables, connections.values.contains(where: \.hasWritten) {
            withoutTimeout.reads &+= 1
            withoutTimeout.read = withoutTimeout.read ?? statement.text
        } else {
            return
        }
        if withoutTimeout.process == 0 { withoutTimeout.process = execution.process }
    }

    func noteUnenforced(_ table: String, text: String, process: Int32) {
        guard unenforced[table] != nil || unenforced.count < Self.tableLimit else { return }
        let new = Unenforced(text: text, order: unenforced.count, process: process)
        unenforced[table, default: new].count &+= 1
    }

    /// Whether foreign keys are not enforced, if the file contains any from before the command.
    var needsKeyTables: Bool {
        keyTables.isEmpty && !unenforced.isEmpty && !isMemory && !hasCreatedTables
    }

    /// Reports what can be decided only when all connections are known.
    func conclude(isWALFile: Bool?, _ report: Report) {
        for (table, found) in unenforced.sorted(by: { $0.value.order < $1.value.order })
        where keyTables.contains(table) {
            report(
                CheckObservation(.foreignKeys, found.text, count: found.count, related: table),
                found.process
            )
        }
        unenforced = [:]
        let isLog = isWAL ?? isWALFile
        let reads = isLog == true ? 0 : withoutTimeout.reads
        if withoutTimeout.writes > 0 || reads > 0 {
            // In WAL mode, readers hardly ever wait.
            let text = withoutTimeout.write ?? withoutTimeout.read
            report(
                CheckObservation(.noTimeout, text, count: withoutTimeout.writes &+ reads),
                withoutTimeout.process
            )
        }
        withoutTimeout = WithoutTimeout()
        if isLog == true, writerCount > 1, let old = oldVersion {
            var found = CheckObservation(.version, nil, related: old.version)
            found.measure = Double(writerCount)
            report(found, old.process)
        }
        writerCount = 0
    }
}

/// What the text of a statement tells a check.
struct CheckedStatement {
    /// The normalized text.
    var text: String
    var kind: SQLStatementKind
    /// Whether the statement is a query of tables, and not of the schema.
    var readsTables = false
    /// Whether it selects rows by a condition.
    var hasCondition = false
    /// Whether it returns other rows than those that it sorts: `LIMIT`, `GROUP BY`, or `DISTINCT`.
    var returnsFewer = false
    /// Whether it has a parameter or a literal.
    var hasValue = false
    /// The table that it changes, in lowercase.
    var table: String?
    /// The tables between which it creates foreign keys, in lowercase.
    var keyTables: [String] = []
    var pragma: SQLPragma?

    private static let schemaTables: Set = [
        "SQLITE_MASTER", "SQLITE_SCHEMA", "SQLITE_TEMP_MASTER", "SQLITE_TEMP_SCHEMA",
    ]

    /// - Parameters:
    ///   - sql: The statement.
    ///   - identifiers: The names in the schema, in lowercase.
    init(_ sql: String, identifiers: Set<String> = []) {
        text = StatementText.normalized(sql, identifiers: identifiers)
        kind = SQLStatementKind(sql)
        switch kind {
        case .other, .change, .schemaChange: break
        case .pragma:
            pragma = SQLPragma(sql)
            return
        default: return
        }
        let tokens = SQLToken.significant(in: sql).drop { $0.isSymbol(";") }
        if kind == .schemaChange {
            keyTables = Self.keyTables(Array(tokens))
            return
        }
        var isSchemaQuery = false
        var (hasFrom, hasLimit) = (false, false)
        for token in tokens {
            switch token.kind {
            case .string, .number, .blob, .variable: hasValue = true
            case .word:
                switch token.keyword {
                case "WHERE", "ON", "USING", "HAVING": hasCondition = true
                case "LIMIT", "GROUP", "DISTINCT": hasLimit = true
                case "FROM": hasFrom = true
                case let word where Self.schemaTables.contains(word): isSchemaQuery = true
                case let word where word.hasPrefix("PRAGMA_"): isSchemaQuery = true
                default: break
                }
            case .doubleQuoted, .quoted:
                if Self.schemaTables.contains(token.unquoted.uppercased()) { isSchemaQuery = true }
            default: break
            }
        }
        returnsFewer = hasLimit
        let isExplanation = tokens.first?.keyword == "EXPLAIN"
        readsTables = kind == .other && hasFrom && !isSchemaQuery && !isExplanation
        if kind == .change { table = Self.target(Array(tokens)) }
    }

    /// Returns the names that a change of the schema contains, in lowercase, and some of its keywords.
    static func names(in sql: String) -> [String] {
        SQLToken.significant(in: sql).filter { $0.isName && $0.text.utf8.count <= nameLength }
            .map { $0.unquoted.lowercased() }
    }

    private static let nameLength = 128

    /// Returns the name at an index, after the name of its schema, if any.
    private static func name(_ tokens: [SQLToken], at index: Int) -> String? {
        guard index < tokens.count else { return nil }
        let isQualified = index + 2 < tokens.count && tokens[index + 1].isSymbol(".")
        let token = tokens[isQualified ? index + 2 : index]
        return token.isName || token.kind == .string ? token.unquoted.lowercased() : nil
    }

    /// Returns the table that a change changes.
    private static func target(_ tokens: [SQLToken]) -> String? {
        var depth = 0
        for index in tokens.indices {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            guard depth == 0 else { continue }
            switch tokens[index].keyword {
            case "INTO": return name(tokens, at: index + 1)
            case "FROM" where index > 0 && tokens[index - 1].keyword == "DELETE":
                return name(tokens, at: index + 1)
            case "UPDATE":
                let isQualified = index + 1 < tokens.count && tokens[index + 1].keyword == "OR"
                return name(tokens, at: index + (isQualified ? 3 : 1))
            default: break
            }
        }
        return nil
    }

    private static func keyTables(_ tokens: [SQLToken]) -> [String] {
        let parents = tokens.indices.filter { tokens[$0].keyword == "REFERENCES" }
            .compactMap { name(tokens, at: $0 + 1) }
        guard !parents.isEmpty, ["CREATE", "ALTER"].contains(tokens.first?.keyword),
            let word = tokens.prefix(3).firstIndex(where: { $0.keyword == "TABLE" })
        else { return [] }
        let isConditional = word + 1 < tokens.count && tokens[word + 1].keyword == "IF"
        let child = name(tokens, at: word + (isConditional ? 4 : 1))
        return [child].compactMap(\.self) + parents
    }
}

/// The texts of statements in the configuration of a check.
package enum CheckedText {
    /// Returns a statement formatted like those of findings.
    ///
    /// `…` or `...` at the end stands for any text.
    package static func pattern(_ text: String) -> String {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isStart = text.hasSuffix("…") || text.hasSuffix("...")
        guard isStart else { return StatementText.normalized(text) }
        let start = text.hasSuffix("…") ? text.dropLast() : text.dropLast(3)
        return StatementText.normalized(String(start)) + "…"
    }
}
