import Findings
import SQLText

/// The order of the statements on one connection, in which a check finds transactions and loops.
final class CheckedConnection {
    typealias Report = (CheckObservation) -> Void

    let key: ConnectionKey
    let file: CheckedFile
    private let settings: CheckSettings
    private let stalls: Stalls
    private var isAutocommit = true
    private(set) var transaction: Transaction?
    private var bursts = Bursts()
    /// The number of executions.
    private var position: UInt64 = 0
    private var lastEnd: UInt64 = 0
    private var preparations: [String: Preparations] = [:]
    private var repetitions: QueryRepetitions
    /// Whether the connection enforces foreign keys, or `nil` if unknown.
    private var foreignKeys: Bool?
    /// Whether it enforced them before.
    private var hadForeignKeys = false

    /// The maximum number of statements to observe at the same time.
    private static let capacity = 32
    /// The maximum number of other statements between two executions in a loop.
    static let loopLength: UInt64 = 8
    /// The time between two executions after which a loop or burst has ended, in nanoseconds.
    private static let pause: UInt64 = 50_000_000

    init(
        _ key: ConnectionKey,
        _ file: CheckedFile,
        _ settings: CheckSettings,
        _ stalls: Stalls
    ) {
        self.stalls = stalls
        repetitions = QueryRepetitions(limit: settings[.repeated, .times])
        self.key = key
        self.file = file
        self.settings = settings
    }

    // MARK: Executions

    /// Adds an execution, and returns the list of rows that it returned, if they are several.
    func add(
        _ execution: StatementExecution,
        _ statement: CheckedStatement?,
        _ report: Report
    ) -> QueryRepetitions.List? {
        let wasAutocommit = isAutocommit
        position &+= 1
        if foreignKeys == nil, statement?.pragma?.name != "foreign_keys" {
            foreignKeys = execution.firstForeignKeys
            hadForeignKeys = foreignKeys == true
        }
        isAutocommit = execution.isAutocommit
        let start = min(execution.start ?? execution.end, execution.end)
        let pause = start - min(lastEnd, start)
        let isBurst = pause < Self.pause
        if !isBurst, wasAutocommit {
            bursts = Bursts()
            if isAutocommit { repetitions.end(report) }
        }
        count(execution, statement: statement, isBurst: isBurst, report: report)
        follow(
            execution,
            statement: statement,
            start: start,
            wasAutocommit: wasAutocommit,
            report: report
        )
        let list = repeatRead(
            execution,
            statement: statement,
            start: start,
            wasAutocommit: wasAutocommit,
            report: report
        )
        enforce(execution, statement: statement, wasAutocommit: wasAutocommit, report: report)
        lastEnd = max(lastEnd, execution.end)
        return list
    }

    /// Ends the connection's transaction and loops when it is closed, or its process ends at an unknown
    /// time.
    func end(at time: UInt64?, _ report: Report) {
        repetitions.end(report)
        if let transaction {
            judge(transaction, ending: .closed, at: time ?? transaction.lastEnd, report: report)
        }
        transaction = nil
        isAutocommit = true
    }

    // MARK: Transactions

    struct Transaction {
        /// The end of the first statement that took a lock, or `nil` if there is none yet.
        var lockTime: UInt64?
        var lastEnd: UInt64
        var firstRead: String?
        var writes: UInt64 = 0
        var lastSQL: String?
        var firstWrite: String?
        /// The first change after a read, if no lock for writing was held.
        var upgrade: String?
        var isImmediate = false
        var gap: (length: UInt64, after: String?) = (0, nil)
        var savepoints: [String] = []
        var failures: [(statement: CheckedStatement, code: Int32, depth: Int)] = []
    }

    private enum Ending {
        case committed, rolledBack, closed, unknown
    }

    private static let savepointLimit = 256
    private static let failureLimit = 64

    private func follow(
        _ execution: StatementExecution,
        statement: CheckedStatement?,
        start: UInt64,
        wasAutocommit: Bool,
        report: Report
    ) {
        let hasSucceeded = execution.result & 0xff == 0
        guard var transaction = transaction ?? (isAutocommit ? nil : Transaction(lastEnd: start))
        else {
            // A change with a cursor may end after another statement has ended the transaction.
            if wasAutocommit, hasSucceeded, let statement, statement.kind == .change, !file.isMemory
            {
                bursts.add(statement.text, settings[.singleWrites, .writes]).map(report)
            }
            return
        }
        if self.transaction != nil, transaction.lockTime != nil {
            let gap = stalls.time(from: transaction.lastEnd, to: start)
            if gap > transaction.gap.length { transaction.gap = (gap, transaction.lastSQL) }
        }
        transaction.lastEnd = max(transaction.lastEnd, execution.end)
        if let statement {
            note(execution, statement: statement, hasSucceeded: hasSucceeded, in: &transaction)
        } else if transaction.lockTime == nil {
            transaction.lockTime = execution.end
        }
        guard isAutocommit else {
            self.transaction = transaction
            return
        }
        self.transaction = nil
        let ending: Ending =
            switch statement?.kind {
            case nil: .unknown
            case .rollback?: .rolledBack
            // SQLite has rolled it back because of an error.
            case _? where !hasSucceeded: .rolledBack
            case .commit?, .release?: .committed
            default: .unknown
            }
        if ending == .committed, transaction.writes == 1, let write = transaction.firstWrite,
            !file.isMemory
        {
            bursts.add(write, settings[.singleWrites, .writes]).map(report)
        } else if transaction.writes > 1 {
            bursts = Bursts()
        }
        judge(transaction, ending: ending, at: execution.end, report: report)
    }

    private func note(
        _ execution: StatementExecution,
        statement: CheckedStatement,
        hasSucceeded: Bool,
        in transaction: inout Transaction
    ) {
        if !statement.kind.controlsTransaction { transaction.lastSQL = statement.text }
        guard hasSucceeded else {
            if statement.kind == .change, !isAutocommit,
                transaction.failures.count < Self.failureLimit
            {
                let depth = transaction.savepoints.count
                transaction.failures.append((statement, execution.result, depth))
            }
            return
        }
        switch statement.kind {
        case .begin(.deferred), .commit, .rollback: break
        case .begin:
            transaction.lastSQL = statement.text
            transaction.isImmediate = true
            transaction.lockTime = execution.end
        case .savepoint(let name):
            if transaction.savepoints.count < Self.savepointLimit {
                transaction.savepoints.append(name.lowercased())
            }
        case .release(let name):
            if let index = transaction.savepoints.lastIndex(of: name.lowercased()) {
                transaction.savepoints.removeLast(transaction.savepoints.count - index)
            }
        case .rollbackTo(let name):
            if let index = transaction.savepoints.lastIndex(of: name.lowercased()) {
                transaction.savepoints.removeLast(transaction.savepoints.count - index - 1)
                transaction.failures.removeAll { $0.depth > index }
            }
        case _ where statement.kind.isWrite:
            transaction.lockTime = transaction.lockTime ?? execution.end
            if transaction.writes == 0, !transaction.isImmediate, transaction.firstRead != nil,
                statement.kind == .change
            {
                transaction.upgrade = statement.text
            }
            transaction.firstWrite = transaction.firstWrite ?? statement.text
            transaction.writes &+= 1
            // The program handles the failure: it repeats the statement after a lock was released,
            // or changes the existing row.
            transaction.failures.removeAll { failure in
                switch failure.code & 0xff {
                case 5, 6: failure.statement.text == statement.text
                case 19:
                    failure.statement.table == statement.table
                        && statement.table != nil && statement.text.hasPrefix("UPDATE")
                default: false
                }
            }
        case _ where statement.readsTables:
            transaction.lockTime = transaction.lockTime ?? execution.start ?? execution.end
            if transaction.firstRead == nil, transaction.writes == 0 {
                transaction.firstRead = statement.text
            }
        default: break
        }
    }

    /// Judges a transaction at its end.
    ///
    /// Tests isolate themselves with transactions that they roll back, so what such a transaction does
    /// says nothing about the program.
    private func judge(
        _ transaction: Transaction,
        ending: Ending,
        at time: UInt64,
        report: Report
    ) {
        if ending == .committed {
            if let write = transaction.upgrade {
                report(CheckObservation(.upgrade, write, related: transaction.firstRead))
            }
            for failure in transaction.failures {
                let name = ResultCodeName.name(of: failure.code)
                report(CheckObservation(.committedFailure, failure.statement.text, related: name))
            }
        }
        guard ending != .rolledBack, let lockTime = transaction.lockTime else { return }
        var gap = transaction.gap
        let last = stalls.time(from: transaction.lastEnd, to: time)
        if last > gap.length { gap = (last, transaction.lastSQL) }
        let length = Double(stalls.time(from: lockTime, to: time)) / 1e9
        let seconds = Double(gap.length) / 1e9
        let isIdle = seconds > settings[.openTransaction, .gap]
        guard isIdle || length > settings[.openTransaction, .longest] else { return }
        var found = CheckObservation(
            .openTransaction,
            (isIdle ? gap.after : nil) ?? transaction.firstWrite ?? transaction.lastSQL,
            measure: isIdle ? seconds : 0
        )
        found.length = length
        report(found)
    }

    // MARK: Counters

    private struct Preparations {
        var count: UInt64 = 0
        var position: UInt64
    }

    private func count(
        _ execution: StatementExecution,
        statement: CheckedStatement?,
        isBurst: Bool,
        report: Report
    ) {
        guard let statement, let counters = execution.counters,
            statement.kind == .other || statement.kind == .change
        else { return }
        var rows = Double(execution.rows ?? 0)
        let scanned = Double(counters.fullScanSteps)
        if statement.kind == .change {
            // A change returns no rows, but has to pass those that it changes.
            let steps = Double(execution.steps ?? 0) - Self.instructionsToPass * scanned
            rows = max(rows, steps / Self.instructionsPerRow)
        }
        if scanned - rows > settings[.scan, .rows], rows * 2 < scanned, statement.hasCondition {
            report(CheckObservation(.scan, statement.text, measure: scanned))
        }
        if counters.sorts > 0 {
            // A condition or a group may leave fewer rows for the sort than the scan passes.
            var sorted = rows
            if statement.returnsFewer {
                sorted =
                    scanned > 0
                    ? (statement.hasCondition ? rows : max(rows, scanned))
                    : max(rows, Double(execution.steps ?? 0) / Self.instructionsPerRow)
            }
            if sorted > settings[.sort, .rows] {
                report(CheckObservation(.sort, statement.text, measure: sorted))
            }
        }
        let indexed = Double(counters.automaticIndexRows)
        if indexed > settings[.automaticIndex, .rows] {
            report(CheckObservation(.automaticIndex, statement.text, measure: indexed))
        }
        countPreparations(
            counters.preparations > 0,
            text: statement.text,
            isBurst: isBurst,
            report: report
        )
    }

    /// The instructions with which a scan passes a row, about.
    private static let instructionsToPass = 6.0
    /// The instructions with which a search passes, sorts, and returns a row, or a change changes it.
    private static let instructionsPerRow = 20.0

    private func countPreparations(
        _ isPrepared: Bool,
        text: String,
        isBurst: Bool,
        report: Report
    ) {
        guard isPrepared else {
            preparations[text] = nil
            return
        }
        if preparations.count >= Self.capacity, preparations[text] == nil { preparations = [:] }
        var entry = preparations[text] ?? Preparations(position: position)
        if position - entry.position > Self.loopLength || !isBurst { entry.count = 0 }
        entry.count += 1
        entry.position = position
        preparations[text] = entry
        let limit = UInt64(max(1, settings[.prepared, .times]))
        if entry.count == limit {
            report(CheckObservation(.prepared, text, count: limit, measure: Double(limit)))
        } else if entry.count > limit {
            report(CheckObservation(.prepared, text, measure: Double(entry.count)))
        }
    }

    // MARK: Repetitions

    /// Returns the list that a query of this execution returned, if any.
    private func repeatRead(
        _ execution: StatementExecution,
        statement: CheckedStatement?,
        start: UInt64,
        wasAutocommit: Bool,
        report: Report
    ) -> QueryRepetitions.List? {
        switch statement?.kind {
        // Between two tests, there is a savepoint, or a transaction that is rolled back.
        case .savepoint?, .rollbackTo?, .rollback?: repetitions.end(forgettingList: true, report)
        case let kind
        where wasAutocommit != isAutocommit || isAutocommit && kind?.isWrite == true:
            repetitions.noteCommit()
        default: break
        }
        guard let statement, statement.readsTables, execution.result & 0xff == 0 else { return nil }
        return repetitions.add(
            statement,
            rows: execution.rows ?? 0,
            start: start,
            position: position,
            report
        )
    }

    /// Attributes executions to a list that another connection of the process has read meanwhile.
    func attribute(_ list: QueryRepetitions.List, report: Report) {
        repetitions.attribute(list, report: report)
    }

    // MARK: Foreign keys

    private func enforce(
        _ execution: StatementExecution,
        statement: CheckedStatement?,
        wasAutocommit: Bool,
        report: Report
    ) {
        guard let statement, execution.result & 0xff == 0 else { return }
        if let pragma = statement.pragma, pragma.name == "foreign_keys", let value = pragma.value {
            // The pragma has no effect in a transaction.
            guard wasAutocommit else { return }
            foreignKeys =
                ["on", "true", "yes"].contains(value.lowercased()) || Int(value) ?? 0 != 0
            if foreignKeys == true { hadForeignKeys = true }
        }
        file.keyTables.formUnion(
            statement.keyTables.prefix(max(0, CheckedFile.tableLimit - file.keyTables.count))
        )
        // To change a table, migrations disable the keys of connections that enforce them.
        if foreignKeys == false, !hadForeignKeys, let table = statement.table {
            file.noteUnenforced(table, text: statement.text, process: key.process)
        }
    }
}

/// Writes in a row, each of which is a transaction.
private struct Bursts {
    private var count: UInt64 = 0
    private var statements: [String: UInt64] = [:]

    private static let capacity = 16

    mutating func add(_ text: String, _ limit: Double) -> CheckObservation? {
        count += 1
        if statements[text] != nil || statements.count < Self.capacity {
            statements[text, default: 0] += 1
        }
        guard Double(count) >= limit else { return nil }
        let frequent = statements.max { ($0.value, $1.key) < ($1.value, $0.key) }
        let isFirst = Double(count - 1) < limit
        return CheckObservation(
            .singleWrites,
            frequent?.key ?? text,
            count: isFirst ? count : 1,
            measure: Double(count)
        )
    }
}

/// The last periods in which the machine did not run this program for a long time, and probably no
/// other program either.
///
/// This type is a class because all connections use it. Use it on only one thread.
final class Stalls {
    private var periods: [(start: UInt64, end: UInt64)] = []

    private static let capacity = 64
    /// The length of a period that says nothing about other programs, in nanoseconds.
    private static let patience: UInt64 = 50_000_000

    /// Notes that nothing was read in a period.
    func note(from start: UInt64, to end: UInt64) {
        guard end > start, end - start > Self.patience else { return }
        if periods.count >= Self.capacity { periods.removeFirst() }
        periods.append((start + Self.patience, end))
    }

    /// Returns a time without the stalls in it, in nanoseconds.
    func time(from start: UInt64, to end: UInt64) -> UInt64 {
        guard end > start else { return 0 }
        return periods.reduce(end - start) { time, period in
            let (from, to) = (max(start, period.start), min(end, period.end))
            return to > from ? time - min(time, to - from) : time
        }
    }
}
