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
    private var repetitions: [String: Repetition] = [:]
    /// The last query that returned several rows.
    private var list: List?
    /// Whether the connection enforces foreign keys, or `nil` if unknown.
    private var foreignKeys: Bool?
    /// Whether it enforced them before.
    private var hadForeignKeys = false

    /// The maximum number of statements to observe at the same time.
    private static let capacity = 32
    /// The maximum number of other statements between two executions in a loop.
    private static let loopLength: UInt64 = 8
    /// The time between two executions after which a loop or burst has ended, in nanoseconds.
    private static let pause: UInt64 = 50_000_000
    /// The factor by which more executions than rows of another statement are required, without such
    /// a statement.
    private static let withoutList = 5.0

    init(
        _ key: ConnectionKey,
        _ file: CheckedFile,
        _ settings: CheckSettings,
        _ stalls: Stalls
    ) {
        self.stalls = stalls
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
    ) -> List? {
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
            if isAutocommit { endRepetitions(report) }
        }
        count(execution, statement, isBurst: isBurst, report)
        follow(execution, statement, start, wasAutocommit, report)
        let list = repeatRead(execution, statement, start, wasAutocommit, report)
        enforce(execution, statement, wasAutocommit, report)
        lastEnd = max(lastEnd, execution.end)
        return list
    }

    /// Ends the connection's transaction and loops when it is closed, or its process ends at an unknown
    /// time.
    func end(at time: UInt64?, _ report: Report) {
        endRepetitions(report)
        if let transaction { judge(transaction, .closed, at: time ?? transaction.lastEnd, report) }
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
        _ statement: CheckedStatement?,
        _ start: UInt64,
        _ wasAutocommit: Bool,
        _ report: Report
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
            note(execution, statement, hasSucceeded, in: &transaction)
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
        judge(transaction, ending, at: execution.end, report)
    }

    private func note(
        _ execution: StatementExecution,
        _ statement: CheckedStatement,
        _ hasSucceeded: Bool,
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
        _ ending: Ending,
        at time: UInt64,
        _ report: Report
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
        _ statement: CheckedStatement?,
        isBurst: Bool,
        _ report: Report
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
        countPreparations(counters.preparations > 0, statement.text, isBurst: isBurst, report)
    }

    /// The instructions with which a scan passes a row, about.
    private static let instructionsToPass = 6.0
    /// The instructions with which a search passes, sorts, and returns a row, or a change changes it.
    private static let instructionsPerRow = 20.0

    private func countPreparations(
        _ isPrepared: Bool,
        _ text: String,
        isBurst: Bool,
        _ report: Report
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

    /// The executions of a query since the start of a burst or transaction.
    private struct Repetition {
        var count: UInt64 = 0
        /// The starts of the last executions.
        var starts: [UInt64] = []
        /// The number of executions on the connection until the last one.
        var position: UInt64 = 0
        /// Whether changes were committed in between, as between the steps of a test.
        var hasCommits = false
        /// The list of rows directly before, and the number of executions since.
        var list: List?
        /// Whether at most one other statement separates the list from the first execution.
        var isDirect = false
        var countSinceList: UInt64 = 0

        static let startLimit = 256
    }

    /// A query that returned several rows.
    struct List {
        var text: String
        var rows: UInt64
        var start: UInt64
        /// The number of executions on the connection until then.
        var position: UInt64

        /// Whether a number of executions is one for each row or, if they are certainly in the loop,
        /// for each different value.
        func matches(_ count: UInt64, isCertain: Bool) -> Bool {
            count <= rows &+ 1 && count >= (isCertain ? rows / 4 : rows - min(1, rows))
        }
    }

    /// Returns the list that a query of this execution returned, if any.
    private func repeatRead(
        _ execution: StatementExecution,
        _ statement: CheckedStatement?,
        _ start: UInt64,
        _ wasAutocommit: Bool,
        _ report: Report
    ) -> List? {
        let kind = statement?.kind
        // Between two tests, there is a savepoint, or a transaction that is rolled back.
        switch kind {
        case .savepoint?, .rollbackTo?, .rollback?:
            endRepetitions(report)
            list = nil
        default:
            guard wasAutocommit != isAutocommit || isAutocommit && kind?.isWrite == true else {
                break
            }
            for text in repetitions.keys { repetitions[text]?.hasCommits = true }
        }
        guard let statement, statement.readsTables, execution.result & 0xff == 0 else { return nil }
        if statement.hasValue { count(statement.text, start, report) }
        let rows = execution.rows ?? 0
        guard Double(rows) >= settings[.repeated, .times] else { return nil }
        let new = List(text: statement.text, rows: rows, start: start, position: position)
        // The program may execute a query for each row while it reads the rows.
        attribute(new, report)
        list = new
        return new
    }

    private func count(_ text: String, _ start: UInt64, _ report: Report) {
        if repetitions.count >= Self.capacity, repetitions[text] == nil { endRepetitions(report) }
        var entry = repetitions.removeValue(forKey: text) ?? Repetition()
        let distance = position - min(entry.position, position)
        if entry.hasCommits, distance > Self.loopLength {
            judge(entry, of: text, report)
            entry = Repetition()
        }
        if let list, list.position > entry.position, list.text != text {
            judgeList(entry, of: text, report)
            let distance = position - list.position
            entry.list = distance <= Self.loopLength ? list : nil
            entry.isDirect = distance <= 2
            entry.countSinceList = 0
        }
        entry.count += 1
        entry.countSinceList += 1
        entry.position = position
        if entry.starts.count >= Repetition.startLimit { entry.starts.removeFirst() }
        entry.starts.append(start)
        repetitions[text] = entry
    }

    /// Attributes the executions of other queries to a list that was read meanwhile, on this
    /// connection or on another one of the process.
    func attribute(_ list: List, _ report: Report) {
        for (text, entry) in repetitions.sorted(by: { $0.key < $1.key }) where text != list.text {
            let count = UInt64(entry.starts.count { $0 >= list.start })
            guard Double(count) >= settings[.repeated, .times], list.matches(count, isCertain: true)
            else {
                continue
            }
            self.report(text, count, list, report)
            repetitions[text] = nil
        }
    }

    private func endRepetitions(_ report: Report) {
        for (text, entry) in repetitions.sorted(by: { $0.key < $1.key }) {
            judge(entry, of: text, report)
        }
        repetitions = [:]
    }

    private func judge(_ entry: Repetition, of text: String, _ report: Report) {
        let limit = settings[.repeated, .times] * Self.withoutList
        if !judgeList(entry, of: text, report), !entry.hasCommits, Double(entry.count) >= limit {
            self.report(text, entry.count, nil, report)
        }
    }

    @discardableResult
    private func judgeList(_ entry: Repetition, of text: String, _ report: Report) -> Bool {
        guard let list = entry.list, Double(entry.countSinceList) >= settings[.repeated, .times],
            list.matches(
                entry.countSinceList,
                isCertain: entry.isDirect && !entry.hasCommits
            )
        else { return false }
        self.report(text, entry.countSinceList, list, report)
        return true
    }

    private func report(_ text: String, _ count: UInt64, _ list: List?, _ report: Report) {
        var found = CheckObservation(.repeated, text, count: count, related: list?.text)
        found.measure = Double(count)
        report(found)
    }

    // MARK: Foreign keys

    private func enforce(
        _ execution: StatementExecution,
        _ statement: CheckedStatement?,
        _ wasAutocommit: Bool,
        _ report: Report
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
            file.noteUnenforced(table, statement.text, key.process)
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
