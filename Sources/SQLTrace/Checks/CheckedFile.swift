import Findings

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
        findWait(execution, statement, key, settings, report)
        transactions.add(
            execution,
            sql: statement?.text,
            kind: statement?.kind ?? .other
        )
        connection.reads =
            !execution.isAutocommit && transactions.openTransactions[key]?.firstRead != nil
        guard let statement else { return }
        noteTimeout(execution, statement, connection)
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
        _ statement: CheckedStatement?,
        _ key: ConnectionKey,
        _ settings: CheckSettings,
        _ report: Report
    ) {
        let upgrade = blocks.add(execution, sql: statement?.text, transactions)
        let start = min(execution.start ?? execution.end, execution.end)
        if upgrade.isUpgrade {
            var found = CheckObservation(.upgrade, statement?.text, related: upgrade.firstRead)
            found.failures = 1
            report(found, key.process)
        } else if let block = blocks.blocks.last, block.key == key, block.end == execution.end {
            noteWait(block, settings, report)
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
        _ settings: CheckSettings,
        _ report: Report
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
        _ statement: CheckedStatement,
        _ connection: Connection
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

    func noteUnenforced(_ table: String, _ text: String, _ process: Int32) {
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
