import Findings

/// The rules of `poolgauge check` that look at the order of executions.
///
/// Executions are added in the order of their ends. The memory is bounded, because they come from
/// other programs. Use it on only one thread.
package final class StatementChecks {
    /// What a report must say besides the observations.
    package struct Totals: Sendable, Equatable {
        package var executions: UInt64 = 0
        package var fileExecutions: UInt64 = 0
        package var files = 0
        /// The number of processes that executed a statement.
        package var processes = 0
        /// Whether there were more observations than are kept.
        package var isFull = false
        /// Whether executions or connections were not followed because there were too many.
        package var isPartial = false
    }

    package private(set) var totals = Totals()

    private let settings: CheckSettings
    private let stalls = Stalls()
    private let name: (Int32) -> String?
    private var statements: [String: CheckedStatement] = [:]
    /// The names in the schemas, in lowercase.
    private var identifiers: Set<String> = []
    private var connections: [ConnectionKey: CheckedConnection] = [:]
    private var files: [String: CheckedFile] = [:]
    private var observations: [Group: Observed] = [:]
    private var paths: Set<String> = []
    private var processes: Set<Int32> = []

    private static let statementLimit = 2_048
    private static let connectionLimit = 1_024
    private static let fileLimit = 64
    private static let nameLimit = 8_192
    private static let observationLimit = 1_024
    /// The largest number of connections of a process that may execute the queries for a list.
    private static let poolLimit = 64

    private struct Group: Hashable {
        var rule: CheckRule
        var statement: String?
        var detail: String?
    }

    private struct Observed {
        var observation: CheckObservation
        var files: Set<String> = []
    }

    /// The result codes that are failures of a program, and not of its data: BUSY, LOCKED, READONLY,
    /// IOERR, CORRUPT, FULL, and NOTADB.
    private static let failures: Set<Int32> = [5, 6, 8, 10, 11, 13, 26]

    /// - Parameters:
    ///   - settings: The limits of the rules.
    ///   - name: A closure that returns the name of a process.
    package init(_ settings: CheckSettings, name: @escaping (Int32) -> String?) {
        self.settings = settings
        self.name = name
    }

    // MARK: Executions

    /// - Parameters:
    ///   - execution: The execution.
    ///   - version: The version of SQLite that executed it, or `nil` if unknown.
    func add(_ execution: StatementExecution, version: String? = nil) {
        let statement = execution.sql.map { self.statement($0) }
        let connection = connection(of: execution)
        let (file, process) = (connection.file, execution.process)
        totals.executions &+= 1
        if !file.isMemory { totals.fileExecutions &+= 1 }
        let report = { (found: CheckObservation) in
            self.note(found, file: file, process: process)
        }
        if Self.failures.contains(execution.result & 0xff) {
            let name = ResultCodeName.name(of: execution.result)
            report(CheckObservation(.failed, statement?.text, related: name))
        }
        if let idle = idleTime(of: execution, statement), !file.isMemory,
            idle > settings[.openTransaction, .longest]
        {
            var found = CheckObservation(.openTransaction, statement?.text, measure: idle)
            found.length = execution.elapsed
            found.related = Self.cursor
            report(found)
        }
        file.add(execution, statement, version: version, settings) { found, process in
            self.note(found, file: file, process: process)
        }
        let list = connection.add(execution, statement, report)
        // A pool executes the queries for the rows of a list on other connections while it is read.
        guard let list, connections.count <= Self.poolLimit else { return }
        for other in connections.values where other.key.process == process && other !== connection {
            other.attribute(list) { self.note($0, file: other.file, process: process) }
        }
    }

    /// The mark of a read that was open outside a transaction.
    private static let cursor = "cursor"
    /// A generous time for an instruction of SQLite's virtual machine, in seconds.
    private static let instructionTime = 1e-6

    /// Returns how long a query outside a transaction was open without executing instructions, in
    /// seconds, or `nil` if it is unknown.
    private func idleTime(
        of execution: StatementExecution,
        _ statement: CheckedStatement?
    ) -> Double? {
        guard let statement, statement.readsTables, execution.isAutocommit,
            let start = execution.start, let steps = execution.steps
        else { return nil }
        let elapsed = Double(stalls.time(from: start, to: execution.end)) / 1e9
        return elapsed - (execution.secondsWaited ?? 0) - Double(steps) * Self.instructionTime
    }

    private func statement(_ sql: String) -> CheckedStatement {
        if let known = statements[sql] { return known }
        if statements.count >= Self.statementLimit { statements = [:] }
        let new = CheckedStatement(sql, identifiers: identifiers)
        // Later statements quote these names.
        if new.kind == .schemaChange, identifiers.count < Self.nameLimit {
            identifiers.formUnion(CheckedStatement.names(in: sql))
        }
        statements[sql] = new
        return new
    }

    private func connection(of execution: StatementExecution) -> CheckedConnection {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        let path = execution.database ?? Self.memory
        if let known = connections[key], known.file.path == path { return known }
        if processes.count < CheckObservation.fileLimit,
            processes.insert(execution.process).inserted
        {
            totals.processes += 1
        }
        if let replaced = connections[key] { end(replaced, at: execution.start ?? execution.end) }
        if connections.count >= Self.connectionLimit {
            totals.isPartial = true
            for connection in connections.values { end(connection, at: nil) }
        }
        let new = CheckedConnection(key, file(path), settings, stalls)
        connections[key] = new
        return new
    }

    /// The name of a database in memory.
    private static let memory = ":memory:"

    private func file(_ path: String) -> CheckedFile {
        guard path != Self.memory else { return CheckedFile(path: path, isMemory: true) }
        if let known = files[path] { return known }
        // A file without connections is complete, unless it is opened again.
        if files.count >= Self.fileLimit,
            let oldest = files.values.min(by: {
                ($0.isUnused ? 0 : 1, $0.lastUse) < ($1.isUnused ? 0 : 1, $1.lastUse)
            })
        {
            conclude(oldest)
            files[oldest.path] = nil
        }
        if paths.count < CheckObservation.fileLimit, paths.insert(path).inserted {
            totals.files += 1
        }
        let new = CheckedFile(path: path, isMemory: false)
        files[path] = new
        return new
    }

    // MARK: Ends

    func end(_ key: ConnectionKey, at time: UInt64) {
        if let connection = connections[key] { end(connection, at: time) }
    }

    /// Ends the connections of a process, which has ended or executes another program.
    func end(process: Int32) {
        for connection in connections.values where connection.key.process == process {
            end(connection, at: nil)
        }
    }

    private func end(_ connection: CheckedConnection, at time: UInt64?) {
        let (file, key) = (connection.file, connection.key)
        connection.end(at: time) { self.note($0, file: file, process: key.process) }
        file.end(key, at: time ?? file.lastUse)
        connections[key] = nil
        if file.isMemory { conclude(file) }
    }

    /// Notes a period in which no records were read, although they should have been.
    func noteStall(from start: UInt64, to end: UInt64) { stalls.note(from: start, to: end) }

    /// Discards what later records cannot complete, because some are missing.
    func noteLoss() {
        connections = [:]
        for file in files.values { file.noteLoss() }
    }

    // MARK: Results

    /// The databases that the programs used, at most ``CheckObservation/fileLimit``.
    package var databases: [String] { paths.sorted() }

    /// Ends all connections, and returns the observations, in the order of the rules.
    ///
    /// - Parameters:
    ///   - keyTables: A closure that returns the tables with foreign keys in a file.
    ///   - isWAL: A closure that returns whether a file is in WAL mode, or `nil` if it does not exist.
    /// - Returns: The observations.
    package func finish(
        keyTables: (String) -> Set<String>,
        isWAL: (String) -> Bool?
    ) -> [CheckObservation] {
        for connection in connections.values { end(connection, at: nil) }
        for file in files.values.sorted(by: { $0.path < $1.path }) {
            if file.needsKeyTables { file.keyTables = keyTables(file.path) }
            conclude(file, isWAL: isWAL(file.path))
        }
        files = [:]
        return observations.values.map { observed in
            var observation = observed.observation
            observation.fileCount = max(1, observed.files.count)
            return observation
        }.sorted { left, right in
            let order = CheckRule.allCases.map(\.self)
            let (a, b) = (
                order.firstIndex(of: left.rule) ?? 0, order.firstIndex(of: right.rule) ?? 0
            )
            return (a, right.count, left.statement ?? "", left.related ?? "")
                < (b, left.count, right.statement ?? "", right.related ?? "")
        }
    }

    private func conclude(_ file: CheckedFile, isWAL: Bool? = nil) {
        file.conclude(isWALFile: isWAL) { self.note($0, file: file, process: $1) }
    }

    private func note(_ found: CheckObservation, file: CheckedFile, process: Int32) {
        guard settings[level: found.rule] != .off,
            !settings.allows(found.rule, statement: found.statement, file: file.path)
        else { return }
        // A statement has one finding for each reason, and the setting of a program has one in all.
        let group =
            switch found.rule {
            case let rule where rule.isOfProgram: Group(rule: rule, detail: name(process))
            case .failed, .committedFailure, .version:
                Group(rule: found.rule, statement: found.statement, detail: found.related)
            default:
                Group(
                    rule: found.rule,
                    statement: found.statement,
                    detail: found.related == Self.cursor ? found.related : nil
                )
            }
        guard var known = observations[group] else {
            guard observations.count < Self.observationLimit else {
                totals.isFull = true
                return
            }
            var new = found
            new.file = file.path
            new.process = process
            new.program = name(process)
            observations[group] = Observed(observation: new, files: [file.path])
            return
        }
        known.observation.count &+= found.count
        known.observation.failures &+= found.failures
        if found.measure > known.observation.measure
            || found.length ?? 0 > known.observation.length ?? 0
                && known.observation.measure == 0
        {
            known.observation.measure = max(found.measure, known.observation.measure)
            known.observation.length = found.length
            known.observation.related = found.related ?? known.observation.related
        }
        known.observation.related = known.observation.related ?? found.related
        if known.files.count < CheckObservation.fileLimit { known.files.insert(file.path) }
        observations[group] = known
    }
}
