import Findings
import SQLText
import SQLiteWatch
import Telemetry

/// The executions of statements, grouped by normalized text.
struct StatementTable {
    private final class Entry {
        var report: WatchedStatement
        var pids: Set<Int32> = []
        /// The number of executions of each process since the last report of its rate.
        var newCalls: [Int32: UInt64] = [:]
        /// The executions per second of each process.
        var rates: [Int32: Double] = [:]
        /// The number of executions of each process in `pids`.
        var processCalls: [Int32: UInt64] = [:]
        let times = AtomicHistogram()
        var timedRows: Double = 0
        /// The number of executions with a known number of rows.
        var executionsWithRows: Double = 0
        /// The total time of the timed executions, in seconds, excluding the time in the busy
        /// handler, which is known for all executions.
        var timedSeconds: Double = 0
        var timedSquares: Double = 0
        var steps: Double = 0
        var executionsWithSteps: Double = 0
        var counters = WatchedCounters()
        /// The number of failures by extended result code.
        var failures: [Int32: UInt64] = [:]

        init(_ sql: String) { report = WatchedStatement(sql: sql) }
    }

    private var entries: [String: Entry] = [:]
    private var groups: [ConnectionKey: Group] = [:]
    /// Whether events were lost.
    var isIncomplete = false

    /// The maximum number of statements to list separately.
    private static let capacity = 4_096
    private static let otherStatements = "(other statements)"
    private static let unknownText = "(text not readable)"
    private static let processLimit = 64
    private static let connectionLimit = 1 << 14
    private static let failureLimit = 64
    /// The number of executions in a group from which they count as a repetition.
    private static let minimumRun: UInt64 = 5

    /// The reads after one read on a connection.
    private struct Group {
        var head: String
        /// The numbers of executions by statement.
        var members: [String: UInt64] = [:]

        /// Whether another statement may still join: near the start, each one is new.
        var isForming: Bool {
            members.count < 3 && members.values.reduce(0, +) <= UInt64(2 * members.count + 2)
        }
    }

    /// Adds an execution under its normalized text.
    ///
    /// If `sql` is `nil`, the text is unknown, and the execution counts toward a common entry.
    mutating func add(
        _ execution: StatementExecution,
        sql: String?,
        isRead: Bool = false,
        upgrade: (isUpgrade: Bool, firstRead: String?) = (false, nil)
    ) {
        if isRead { addToGroup(execution, sql: sql) }
        var key = sql ?? Self.unknownText
        if entries[key] == nil, entries.count >= Self.capacity { key = Self.otherStatements }
        let entry = entries[key] ?? Entry(key)
        entries[key] = entry
        entry.report.calls += 1
        if execution.result & 0xff != 0,
            entry.failures[execution.result] != nil || entry.failures.count < Self.failureLimit
        {
            entry.failures[execution.result, default: 0] += 1
        }
        if upgrade.isUpgrade {
            entry.report.upgrades = (entry.report.upgrades ?? 0) + 1
            entry.report.upgradeAfter = upgrade.firstRead ?? entry.report.upgradeAfter
        }
        entry.newCalls[execution.process, default: 0] += 1
        if execution.isBusy {
            entry.report.busy += 1
        } else if execution.result & 0xff != 0 {
            entry.report.failed += 1
        }
        if !execution.values.isEmpty {
            entry.report.values = execution.values.map(\.description)
        }
        entry.report.waited += execution.secondsWaited ?? 0
        if entry.pids.count < Self.processLimit { entry.pids.insert(execution.process) }
        if entry.pids.contains(execution.process) {
            entry.processCalls[execution.process, default: 0] += 1
        }
        if let steps = execution.steps {
            entry.steps += Double(steps)
            entry.executionsWithSteps += 1
        }
        if let counters = execution.counters { entry.counters.add(counters) }
        if let seconds = execution.seconds {
            entry.report.timed += 1
            if let rows = execution.rows {
                entry.timedRows += Double(rows)
                entry.executionsWithRows += 1
            }
            let active = max(0, seconds - (execution.secondsWaited ?? 0))
            entry.timedSeconds += active
            entry.timedSquares += active * active
            entry.times.record(StatementExecution.nanoseconds(seconds))
        }
    }

    /// Counts the reads that follow one other read on a connection again and again.
    private mutating func addToGroup(_ execution: StatementExecution, sql: String?) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        guard let sql, var group = groups[key] else {
            if groups.count >= Self.connectionLimit { groups = [:] }
            groups[key] = sql.map { Group(head: $0) }
            return
        }
        if sql == group.head || group.members[sql] == nil && !group.isForming {
            finish(group)
            group = Group(head: sql == group.head ? rarest(of: group) : sql)
            if sql != group.head { group.members[sql] = 1 }
        } else {
            group.members[sql, default: 0] += 1
        }
        groups[key] = group
    }

    /// Returns the statement that begins a group: another one than now if that is much rarer.
    private func rarest(of group: Group) -> String {
        func calls(_ sql: String) -> UInt64 { entries[sql]?.report.calls ?? 0 }
        let rarest = group.members.keys.min { (calls($0), $0) < (calls($1), $1) }
        guard let rarest, calls(rarest) * Self.minimumRun < calls(group.head) else {
            return group.head
        }
        return rarest
    }

    private func finish(_ group: Group) {
        for (sql, count) in group.members where count >= Self.minimumRun {
            guard let entry = entries[sql] else { continue }
            if entry.report.repeated == nil {
                entry.report.repeated = WatchedRepetition(after: group.head, runs: 0, calls: 0)
            }
            guard entry.report.repeated?.after == group.head else { continue }
            entry.report.repeated?.runs += 1
            entry.report.repeated?.calls += count
        }
    }

    /// By which factors the true number of executions of a process exceeds the counted one.
    struct Sampling: Equatable {
        /// The factor if the process executes statements at times of its own.
        var byTime: Double
        /// The factor if its executions depend on the processor time that it gets, which is less
        /// with probes.
        var byProcessorTime: Double
        /// The factor if it rests as long between its executions as without probes.
        var byRestTime: Double
        /// The number of windows with probes, each of which may begin and end in an execution that
        /// is then not counted.
        var windows: Int
    }

    /// Returns the 95% confidence interval of the number of executions, or `nil` if all were
    /// counted.
    ///
    /// It contains all factors, because each can be right. The executions are assumed to be
    /// independent (a Poisson process).
    private static func interval(
        _ entry: Entry,
        sampled: [Int32: Sampling]
    ) -> (least: Double, most: Double)? {
        guard !entry.pids.isDisjoint(with: sampled.keys) else { return nil }
        var interval = (least: 0.0, most: 0.0)
        var others = Double(entry.report.calls)
        for (process, count) in entry.processCalls {
            guard let sampling = sampled[process] else { continue }
            let calls = Double(count)
            others -= calls
            let factors = [sampling.byTime, sampling.byProcessorTime, sampling.byRestTime]
                .map { min(max(1, $0), 1e6) }
            let estimates = factors.map { factor in
                let error = 1.96 * (calls + 1).squareRoot() * (factor - 1)
                let cut = Double(sampling.windows) * (factor - 1)
                return (least: calls * factor - error, most: calls * factor + error + cut)
            }
            interval.least += max(calls, estimates.map(\.least).min() ?? 0)
            interval.most += estimates.map(\.most).max() ?? 0
        }
        return (interval.least + others, interval.most + others)
    }

    /// Returns the statements, sorted by total time, or by number of calls if no times are known.
    ///
    /// - Parameters:
    ///   - sampled: How the processes were traced that were traced only in windows.
    ///   - elapsed: A closure that returns the traced time of a process since the last report, in
    ///     seconds. If it is `nil`, the rate from the last report is repeated.
    /// - Returns: The statements.
    mutating func report(
        sampled: [Int32: Sampling] = [:],
        elapsed: (Int32) -> Double?
    ) -> [WatchedStatement] {
        let statements = entries.values.map { entry in
            for process in Set(entry.rates.keys).union(entry.newCalls.keys) {
                guard let elapsed = elapsed(process) else { continue }
                let new = Double(entry.newCalls.removeValue(forKey: process) ?? 0)
                entry.rates[process] = new > 0 && elapsed > 0 ? new / elapsed : nil
            }
            var report = entry.report
            report.callsPerSecond = entry.rates.values.reduce(0, +)
            let interval = Self.interval(entry, sampled: sampled)
            report.isSampled = interval.map { _ in true }
            report.leastCalls = interval?.least
            report.mostCalls = interval?.most
            report.pids = entry.pids.sorted()
            report.isIncomplete = isIncomplete
            if !entry.failures.isEmpty {
                report.failures = entry.failures.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                    .map { WatchedFailure(code: ResultCodeName.name(of: $0.key), count: $0.value) }
            }
            report.steps =
                entry.executionsWithSteps > 0 ? entry.steps / entry.executionsWithSteps : nil
            if entry.counters.runs > 0 { report.counters = entry.counters }
            let count = Double(report.timed)
            guard count > 0 else { return report }
            // Extrapolate from the timed executions to all executions.
            let active = entry.timedSeconds / count
            let mean = active + report.waited / Double(report.calls)
            if entry.executionsWithRows > 0 {
                report.rows = entry.timedRows / entry.executionsWithRows * Double(report.calls)
            }
            report.seconds = mean * Double(report.calls)
            report.mean = mean
            if report.timed == report.calls {
                report.meanError = 0
            } else if report.timed > 1 {
                let variance = max(0, entry.timedSquares / count - active * active)
                report.meanError = 1.96 * (variance / (count - 1)).squareRoot()
            }
            let summary = AtomicHistogram.summary(of: [entry.times])
            report.p50 = summary?.p50.map { Double($0) / 1e9 }
            report.p99 = summary?.p99.map { Double($0) / 1e9 }
            return report
        }
        return statements.sorted { left, right in
            (left.seconds ?? 0, left.calls, right.sql) > (right.seconds ?? 0, right.calls, left.sql)
        }
    }
}

/// The names of SQLite's result codes (https://sqlite.org/rescode.html).
enum ResultCodeName {
    private static let primary: [Int32: String] = [
        1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM",
        8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL",
        14: "CANTOPEN", 15: "PROTOCOL", 16: "EMPTY", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT",
        20: "MISMATCH", 21: "MISUSE", 22: "NOLFS", 23: "AUTH", 24: "FORMAT", 25: "RANGE",
        26: "NOTADB",
    ]
    private static let extended: [Int32: String] = [
        261: "BUSY_RECOVERY", 517: "BUSY_SNAPSHOT", 773: "BUSY_TIMEOUT",
        262: "LOCKED_SHAREDCACHE", 518: "LOCKED_VTAB",
        264: "READONLY_RECOVERY", 520: "READONLY_CANTLOCK", 776: "READONLY_ROLLBACK",
        1032: "READONLY_DBMOVED", 1288: "READONLY_CANTINIT", 1544: "READONLY_DIRECTORY",
        266: "IOERR_READ", 522: "IOERR_SHORT_READ", 778: "IOERR_WRITE", 1034: "IOERR_FSYNC",
        267: "CORRUPT_VTAB", 523: "CORRUPT_SEQUENCE", 779: "CORRUPT_INDEX",
        275: "CONSTRAINT_CHECK", 531: "CONSTRAINT_COMMITHOOK", 787: "CONSTRAINT_FOREIGNKEY",
        1043: "CONSTRAINT_FUNCTION", 1299: "CONSTRAINT_NOTNULL", 1555: "CONSTRAINT_PRIMARYKEY",
        1811: "CONSTRAINT_TRIGGER", 2067: "CONSTRAINT_UNIQUE", 2323: "CONSTRAINT_VTAB",
        2579: "CONSTRAINT_ROWID", 2835: "CONSTRAINT_PINNED", 3091: "CONSTRAINT_DATATYPE",
    ]

    /// Returns the name of an extended result code, such as `SQLITE_BUSY_SNAPSHOT`.
    ///
    /// A code without a name here is the name of its primary code and the code.
    static func name(of code: Int32) -> String {
        if let name = extended[code] ?? primary[code] { return "SQLITE_" + name }
        return primary[code & 0xff].map { "SQLITE_\($0) (\(code))" } ?? "result code \(code)"
    }
}

/// The open connections that have executed a statement on a watched database.
struct ConnectionTable {
    struct Entry {
        /// The number of the database.
        var database: Int
        /// The path of the database in the process.
        var path: String
        /// The number of the library.
        var library: Int
        var pragmas: [ConnectionSetting: WatchedPragma] = [:]
        var hasWritten = false
        /// Whether the last attempt to read the connection found another structure.
        var isDoubtful = false
    }

    private(set) var entries: [ConnectionKey: Entry] = [:]
    /// Whether some connections are not listed because there are too many.
    private(set) var isFull = false

    private static let limit = 4_096
    private static let valueLimit = 64

    mutating func add(
        _ execution: StatementExecution,
        _ kind: SQLStatementKind,
        database: Int,
        library: Int
    ) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        add(key, database: database, path: execution.database ?? "", library: library)
        guard execution.result & 0xff == 0 else { return }
        if kind.isWrite { entries[key]?.hasWritten = true }
        guard case .pragma(_, isQuery: false) = kind, let text = execution.sql,
            let pragma = SQLPragma(text), let value = pragma.value,
            pragma.schema ?? "main" == "main",
            let setting = ConnectionSetting(rawValue: pragma.name)
        else { return }
        entries[key]?.pragmas[setting] = WatchedPragma(
            name: pragma.name,
            value: String(value.prefix(Self.valueLimit))
        )
    }

    /// Adds a connection to a database, unless it is known.
    mutating func add(_ key: ConnectionKey, database: Int, path: String, library: Int) {
        guard entries[key] == nil else { return }
        guard entries.count < Self.limit else {
            isFull = true
            return
        }
        entries[key] = Entry(database: database, path: path, library: library)
    }

    mutating func end(_ connection: ConnectionKey) { entries[connection] = nil }

    mutating func end(process: Int32) {
        entries = entries.filter { $0.key.process != process }
    }

    /// Discards the pragmas of a process, because later ones may be missing.
    mutating func noteGap(of process: Int32) {
        for key in entries.keys where key.process == process { entries[key]?.pragmas = [:] }
    }

    /// Reads the settings of the connections to a database.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - read: A closure that reads a connection's settings.
    /// - Returns: The connections in the order of their processes, each with its library, and how
    ///   often the library has the database file open.
    mutating func report(
        of database: Int,
        read: (ConnectionKey, Entry) -> ConnectionReader.Outcome
    ) -> [(key: ConnectionKey, connection: WatchedConnection, library: Int, openFiles: Int?)] {
        let keys = entries.filter { $0.value.database == database }.keys
            .sorted { ($0.process, $0.connection) < ($1.process, $1.connection) }
        return keys.compactMap { key in
            guard let entry = entries[key] else { return nil }
            var report = WatchedConnection(
                pid: key.process,
                connection: String(key.connection, radix: 16)
            )
            var openFiles: Int?
            switch read(key, entry) {
            case .read(let settings, let count):
                report.settings = settings
                openFiles = count
                entries[key]?.isDoubtful = false
            case .noConnection:
                // The connection may have been closed while its program had no probes.
                entries[key] = entry.isDoubtful ? nil : entry
                entries[key]?.isDoubtful = true
                if entry.isDoubtful { return nil }
            case .unknown: break
            }
            report.hasWritten = entry.hasWritten
            report.pragmas = entry.pragmas.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { setting, pragma in
                    var pragma = pragma
                    pragma.isActive = setting.words(forPragma: pragma.value).flatMap { wanted in
                        setting.words(report.settings).map { $0 == wanted }
                    }
                    return pragma
                }
            return (key, report, entry.library, openFiles)
        }
    }
}

/// A connection of a process.
struct ConnectionKey: Hashable, Sendable {
    var process: Int32
    /// The address of the connection.
    var connection: UInt64
}
