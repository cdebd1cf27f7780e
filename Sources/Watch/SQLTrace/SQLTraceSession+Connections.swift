#if os(Linux)
import Findings
import Foundation
import Glibc
import SQLiteWatch
import Telemetry

extension SQLTraceSession {
    /// Reads the settings of the connections to all watched databases.
    public func watchedConnections() -> [WatchedConnection] {
        lock.withLock { _ in
            models.indices.flatMap {
                connectionReport(of: $0, [:], at: monotonicNanoseconds()).0
            }
        }
    }

    /// Reads the settings of the connections to a database, and describes the copies of SQLite that
    /// they use.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - running: The running statements.
    ///   - now: The time on the monotonic clock, in nanoseconds.
    /// - Returns: The connections and the copies, in the order of their processes.
    func connectionReport(
        of database: Int,
        _ running: RunningStatements,
        at now: UInt64
    ) -> ([WatchedConnection], [WatchedCopy]) {
        let memory = ProcMemory()
        var readers: [CopyKey: ConnectionReader?] = [:]
        let found = connections.report(of: database) { key, entry in
            let copy = CopyKey(process: key.process, library: entry.library)
            let reader = readers[copy] ?? reader(of: copy, memory)
            readers[copy] = reader
            return reader?.settings(of: key.connection, path: entry.path) ?? .unknown
        }
        var copies: [CopyKey: WatchedCopy] = [:]
        let report = found.map { address, connection, number, openFiles in
            var connection = connection
            connection.name = names[connection.pid]
            connection.running = running[address].map { statement in
                WatchedConnection.Running(
                    sql: models[database].displayText(of: statement.text).shown,
                    seconds: Double(now - min(now, statement.start)) / 1e9,
                    isLowerBound: statement.isEarly ? true : nil
                )
            }
            guard libraries.entries.indices.contains(number) else { return connection }
            let library = libraries.entries[number]
            connection.library = library.library.path
            let key = CopyKey(process: connection.pid, library: number)
            var copy = copies[key] ?? copyFacts(connection, entry: library)
            copy.connections += 1
            copy.openFiles = openFiles ?? copy.openFiles
            copies[key] = copy
            return connection
        }
        return (
            report,
            copies.sorted { ($0.key.process, $0.key.library) < ($1.key.process, $1.key.library) }
                .map(\.value)
        )
    }

    /// A copy of SQLite in a process.
    struct CopyKey: Hashable {
        var process: Int32
        /// The number of the library.
        var library: Int
    }

    /// Returns a reader of the connections of a copy, or `nil` if its layout is not known.
    func reader(of copy: CopyKey, _ memory: ProcMemory) -> ConnectionReader? {
        guard libraries.entries.indices.contains(copy.library),
            let layout = try? libraries.entries[copy.library].state?.get()
        else { return nil }
        let code = survey.processes[copy.process]?.code.first {
            libraries.entry($0)?.number == copy.library
        }
        return ConnectionReader(
            memory: memory,
            process: copy.process,
            layout: layout,
            code: code
        )
    }

    private func copyFacts(
        _ connection: WatchedConnection,
        entry: TracedLibraries.Entry
    ) -> WatchedCopy {
        var copy = WatchedCopy(pid: connection.pid, library: entry.library.path)
        copy.name = connection.name
        let layout = try? entry.state?.get()
        copy.version = layout?.version
        copy.sourceID = layout?.sourceID
        copy.memoryBytes = MemoryLimit.bytes(of: connection.pid)
        return copy
    }
}

/// The programs that open a database while the session traces it.
extension SQLTraceSession {
    /// Notes that programs do not wait for their probes.
    func noteThatProgramsPass() {
        let note =
            "programs cannot wait for probes here, so the first statements of a program that "
            + "opens the database later, or all of a short one, may be missing"
        if !notes.contains(note) { notes.append(note) }
    }

    /// A reference for the session's thread.
    ///
    /// It is `Sendable`, because a weak reference can be read on each thread, and the thread uses the
    /// session only inside its lock.
    private final class Reference: @unchecked Sendable {
        weak var session: SQLTraceSession?

        init(_ session: SQLTraceSession) { self.session = session }
    }

    /// Starts the thread that sets probes in programs that open a database.
    func startThread() {
        let reference = Reference(self)
        let opens = opens
        Thread.detachNewThread {
            while !opens.isClosed {
                if let message = opens.next() {
                    reference.session?.handle(message)
                } else if !opens.isClosed {
                    // The process has ended, perhaps because the system was too busy.
                    sleep(1)
                    let paths = reference.session.map { session in
                        session.lock.withLock { _ in session.files.paths }
                    }
                    guard opens.start(paths ?? []) != true else { continue }
                    reference.session.map { session in
                        session.lock.withLock { _ in session.noteThatProgramsPass() }
                    }
                }
            }
        }
    }

    private func handle(_ message: OpenGate.Message) {
        lock.withLock { _ in
            switch message {
            case .open(let process, let file, let isWaiting):
                let wasAttached = attached[process] != nil
                prepare(process, opening: file)
                if attached[process] == nil {
                    if !isWaiting { opening[process] = monotonicNanoseconds() }
                } else if file != nil, !isWaiting, !wasAttached {
                    latePrograms += 1
                }
            case .expiry(let process):
                if attached[process] != nil { latePrograms += 1 }
            case .probed, .pass, .forget, .calibration, .watch, .watching: break
            }
        }
    }

    /// Sets the probes of a process that opens a file, before the file is open.
    private func prepare(_ process: Int32, opening file: FileIdentity?) {
        defer {
            opens.send(
                attached[process] == nil ? .pass(process: process) : .probed(process: process)
            )
        }
        guard process != getpid(), !ProcessSurvey.isHelper(process),
            options.processes.isEmpty || options.processes.contains(process)
        else { return }
        let now = monotonicNanoseconds()
        if let target = attached[process] {
            guard target.image != ProcessStat.image(of: process) else { return }
            // The process has executed a new program. Its earlier statements belong to the old one.
            readRecords()
            end(process, at: now)
        }
        released[process]?.waitForRemoval()
        survey.scheduleSurvey(of: process, at: now)
        let databases = file.map { file in
            files.paths.indices.filter { FileIdentity(path: files.paths[$0]) == file }
        }
        survey.survey(process, opening: Set(databases ?? []))
        let facts = survey.processes[process]
        if facts?.code.contains(where: { !libraries.contains($0) }) ?? false {
            opens.send(.calibration(process: process))
        }
        attach(to: [process])
        // Other programs read the file, too.
        if attached[process] == nil, file != nil { problems[process] = nil }
    }
}

/// The statements that began before their process had probes.
extension SQLTraceSession {
    struct EarlyStatement {
        var step: ConnectionReader.FirstStep
        /// The number of the library.
        var library: Int
        /// The number of the database.
        var database: Int
        var text: String
        /// The time at which it was first seen.
        var start: UInt64
    }

    /// The time between two searches in a process that has probes in windows, in nanoseconds.
    private static let searchPause: UInt64 = 5_000_000_000
    /// The maximum length of a statement's text, in bytes.
    static let textLimit = 1 << 16

    /// Searches for statements in the processes that have got probes since the last search.
    func findEarlyStatements() {
        let memory = ProcMemory()
        for (process, target) in attached where target.isUnsearched && target.isAttached {
            let now = monotonicNanoseconds()
            if let last = target.lastSearch, now < last + Self.searchPause { continue }
            target.isUnsearched = false
            target.lastSearch = now
            guard let search = StackSearch(process: process, memory) else { continue }
            for library in target.libraries.sorted() {
                let copy = CopyKey(process: process, library: library)
                guard let reader = reader(of: copy, memory) else { continue }
                for found in search.statements(reader) { add(found, reader, copy) }
            }
        }
    }

    private func add(_ found: StackSearch.Found, _ reader: ConnectionReader, _ copy: CopyKey) {
        guard case .watched(let database) = files.database(of: copy.process, path: found.path),
            let text = reader.memory.text(
                ofProcess: copy.process,
                at: found.step.sql,
                limit: Self.textLimit
            ),
            // The statement may have ended while its text was read.
            reader.firstStep(of: found.step.statement, found.step.connection) == found.step
        else { return }
        let now = monotonicNanoseconds()
        // Later calls count as part of an execution with an unknown start.
        guard kernel.expect(found.step, of: copy.process, at: now) else { return }
        let key = ConnectionKey(process: copy.process, connection: found.step.connection)
        guard earlyStatements[key]?.step != found.step else { return }
        earlyStatements[key] = EarlyStatement(
            step: found.step,
            library: copy.library,
            database: database,
            text: SecretKeys.redacted(text),
            start: now
        )
        connections.add(key, database: database, path: found.path, library: copy.library)
    }

    /// Whether an execution was inside the first step of an early statement on the same connection.
    ///
    /// The probes see only its inner steps. SQLite permits no other steps on the connection meanwhile.
    func isNested(_ execution: StatementExecution) -> Bool {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        guard let early = earlyStatements[key], early.step.statement != execution.statement,
            execution.end > early.start
        else { return false }
        if execution.end >= followTime { followEarlyStatements() }
        return earlyStatements[key] != nil
    }

    /// Forgets the early statements whose first step has returned.
    func followEarlyStatements() {
        guard !earlyStatements.isEmpty else { return }
        followTime = monotonicNanoseconds()
        let memory = ProcMemory()
        for (key, early) in earlyStatements {
            let copy = CopyKey(process: key.process, library: early.library)
            if let reader = reader(of: copy, memory) {
                let step = reader.firstStep(of: early.step.statement, key.connection)
                if step == early.step { continue }
                if !reader.isOpen(early.step) { kernel.stopExpecting(early.step, of: key.process) }
            }
            earlyStatements[key] = nil
        }
    }
}
#endif

#if !os(Linux)
import Findings
import SQLiteWatch

/// A session that traces the SQL of other programs.
///
/// Available only on Linux.
public final class SQLTraceSession: StatementTrace {
    /// Throws an error, because the system has no uprobes.
    public init(
        paths: [String],
        commands: SQLTraceCommands,
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws(TraceError) {
        throw TraceError(.unsupportedSystem, "SQL tracing requires Linux")
    }

    /// Does nothing.
    public func close() {}

    /// Does nothing.
    public func add(path: String) {}

    /// Returns no executions.
    @discardableResult
    public func poll() -> [StatementExecution] { [] }

    /// Returns no gaps.
    public func takeGaps() -> [Int32: [ClosedRange<UInt64>]] { [:] }

    /// Adds nothing.
    public func complete(_ reports: inout [WatchReport]) {}

    /// Returns no connections.
    public func watchedConnections() -> [WatchedConnection] { [] }

    package func report() -> [String: TracedDatabase] { [:] }
}

/// A trace of the statements of started programs.
///
/// Available only on Linux.
package final class AgentTraceSession: StatementTrace {
    package init(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        commands: SQLTraceCommands = SQLTraceCommands(calibration: [])
    ) throws(TraceError) {
        throw TraceError(.unsupportedSystem, "starting a program with SQL tracing requires Linux")
    }

    package var newFiles: [String] { [] }
    package func add(path: String) {}
    @discardableResult
    package func poll() -> [StatementExecution] { [] }
    package func report() -> [String: TracedDatabase] { [:] }
    package func takeGaps() -> [Int32: [ClosedRange<UInt64>]] { [:] }
    package func watchedConnections() -> [WatchedConnection] { [] }
    package func close() {}
    package func memoryReport(_ window: WatchWindow) -> WatchReport? { nil }
    package func start(
        _ command: [String],
        library: String?,
        handled: [Int32] = []
    ) throws(TraceError) -> Int32 { -1 }
    package var obstacle: String? { nil }
    package static func opened(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        planning: [String] = []
    ) -> AgentTraceSession? { nil }
}

/// The process that finds the memory layout of a program's SQLite library.
///
/// Available only on Linux.
public enum SQLCalibration {
    /// Does nothing.
    public static func run(_ arguments: [String]) {}
}

/// The process that makes programs wait for their probes when they open a database.
///
/// Available only on Linux.
public enum OpenGate {
    /// Does nothing.
    public static func run(waits: Bool = true) {}
}

/// The process that reads the query plans of statements.
///
/// Available only on Linux.
public enum StatementPlanning {
    /// Does nothing.
    public static func run() {}
}
#endif
