import Dashboard
import Dispatch
import Findings
import Foundation
import Recording
import SQLTrace
import SQLiteWatch
import Synchronization
import Telemetry
import Text

/// A feed of reports for a display, which runs a watch session on a separate thread.
final class WatchFeed: Sendable {
    /// The data since the last call to ``take()``.
    struct Batch {
        /// The reports, with one array for each interval.
        var reports: [[WatchReport]]
        /// The limitations of the search for databases, or `nil` if no new databases were found.
        var notes: [String]?
    }

    private struct State {
        /// The newest reports, because a display whose terminal is stopped (`^S`) takes none.
        var reports = RingBuffer<[WatchReport]>(capacity: WatchDashboard.capacity)
        var notes: [String]?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let source: WatchSource
    private let interval: Duration
    private let onReports: (@Sendable ([WatchReport]) -> Void)?
    private let recorder: @Sendable () -> FlightRecorder?
    private let threadEnd = DispatchSemaphore(value: 0)
    /// Whether the first search found a database.
    let hasFoundDatabases: Bool

    /// The time between two searches for new databases, in seconds.
    private static let searchIntervals: [WatchSource.Kind: Double] = [.folder: 2, .machine: 10]

    /// Starts watching databases.
    ///
    /// `interval` is the time between two reports. If `sql` is `nil`, SQL is not traced. The feed's
    /// thread passes the reports of each interval to `onReports`. `recorder` returns the recorder
    /// for a recording in progress, if any.
    ///
    /// - Throws: `CommandFailure` if the databases cannot be watched, or if `requiresSQL` is `true`
    ///   and SQL cannot be traced.
    init(
        source: WatchSource,
        interval: Duration,
        sql: SQLTraceOptions? = nil,
        requiresSQL: Bool = false,
        onReports: (@Sendable ([WatchReport]) -> Void)? = nil,
        recorder: @escaping @Sendable () -> FlightRecorder? = { nil }
    ) throws {
        self.source = source
        self.recorder = recorder
        self.interval = interval
        self.onReports = onReports
        let command = ClientProcess.command(WatchHelperSubcommand.name)
        let first = try source.find(DatabaseSearch(helper: command))
        hasFoundDatabases = !first.paths.isEmpty
        let startError = Mutex<(any Error)?>(nil)
        let startSignal = DispatchSemaphore(value: 0)
        // The thread creates the session, because a session belongs to a single thread.
        let thread = Thread { [self] in
            defer { threadEnd.signal() }
            do {
                let worker = try Worker(command: command, found: first, sql: sql)
                if requiresSQL, let problem = worker.sqlProblem {
                    throw CommandFailure(problem, status: 1)
                }
                startSignal.signal()
                run(worker)
            } catch {
                startError.withLock { $0 = error }
                startSignal.signal()
            }
        }
        thread.name = "watch"
        thread.start()
        startSignal.wait()
        if let error = startError.withLock({ $0 }) { throw error }
        state.withLock { $0.notes = first.notes }
    }

    /// Returns the data since the last call.
    func take() -> Batch {
        state.withLock { state in
            defer {
                state.reports.removeAll()
                state.notes = nil
            }
            return Batch(reports: state.reports.elements, notes: state.notes)
        }
    }

    /// Ends the session and waits for the helper processes to end.
    func end() {
        state.withLock { $0.isStopped = true }
        _ = threadEnd.wait(timeout: .now() + .seconds(3))
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func run(_ worker: Worker) {
        let searchInterval = source.kind.flatMap { Self.searchIntervals[$0] }
        var lastSearch = monotonicNanoseconds()
        while !isStopped {
            let reports = worker.watch(for: interval) { isStopped }
            let recorder = reports.isEmpty ? nil : recorder()
            for report in reports { recorder?.record(.watch(report)) }
            if !reports.isEmpty {
                state.withLock { $0.reports.append(reports) }
                onReports?(reports)
            }
            guard let searchInterval,
                Double(monotonicNanoseconds() - lastSearch) >= searchInterval * 1e9
            else { continue }
            // Ignore errors, because a folder that cannot be listed now may be readable later.
            if let found = try? source.find(worker.search), worker.add(found.paths) {
                let notes = found.notes + worker.notes
                state.withLock { $0.notes = notes }
            }
            lastSearch = monotonicNanoseconds()
        }
    }

    /// The watch session and the search for databases, which only one thread uses.
    private final class Worker {
        let search: DatabaseSearch
        private let command: [String]
        private let sql: SQLWatch?
        private var session: WatchSession?
        private var knownPaths: Set<String>
        /// The number of databases that the session rejected.
        private var rejectedCount = 0

        init(command: [String], found: WatchSource.Found, sql: SQLTraceOptions?) throws {
            self.command = command
            search = DatabaseSearch(helper: command)
            knownPaths = Set(found.paths)
            self.sql = sql.map { SQLWatch(paths: found.paths, options: $0) }
            guard !found.paths.isEmpty else { return }
            do { session = try WatchSession(paths: found.paths, helper: command) } catch {
                throw CommandFailure(error.description, status: 1)
            }
        }

        var sqlProblem: String? { sql?.problem }

        /// The limitations of the watch, one sentence each.
        var notes: [String] {
            guard rejectedCount > 0 else { return [] }
            let limit = WatchSession.databaseLimit
            let databases =
                rejectedCount == 1 ? "1 more database is" : "\(rejectedCount) more databases are"
            return ["\(databases) not watched, because the limit is \(limit)."]
        }

        /// Samples for an interval and returns the reports.
        func watch(for interval: Duration, until isStopped: () -> Bool) -> [WatchReport] {
            guard let session else {
                let parts = interval.components
                let time = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
                Thread.sleep(forTimeInterval: min(time, 0.25))
                return []
            }
            guard let sql else {
                session.run(for: interval, until: isStopped)
                return session.reports()
            }
            sql.run(session, for: interval, until: isStopped)
            var reports = session.reports()
            sql.complete(&reports)
            return reports
        }

        /// Starts watching the new databases among `paths`, and returns whether there are any.
        func add(_ paths: [String]) -> Bool {
            let newPaths = paths.filter { !knownPaths.contains($0) }
            guard !newPaths.isEmpty else { return false }
            knownPaths.formUnion(newPaths)
            sql?.add(newPaths)
            if let session {
                for path in newPaths where !session.add(path: path) { rejectedCount += 1 }
            } else {
                session = try? WatchSession(paths: newPaths, helper: command)
            }
            return true
        }
    }
}

extension WatchSource {
    enum Kind { case folder, machine }

    /// The kind of source, or `nil` if new databases cannot appear.
    var kind: Kind? {
        switch self {
        case .machine: .machine
        case .paths: canGrow ? .folder : nil
        }
    }
}

/// The source of the databases that `poolgauge top` watches.
enum WatchSource: Sendable, Equatable {
    /// Files and folders that contain databases.
    case paths([String])
    /// The databases that processes on this machine have open.
    case machine

    /// Creates the source for the given paths, or for the whole machine if there are no paths.
    init(arguments: [String]) { self = arguments.isEmpty ? .machine : .paths(arguments) }

    /// The result of a search.
    struct Found: Equatable {
        var paths: [String] = []
        /// The limitations of the search, one sentence each.
        var notes: [String] = []
    }

    /// Whether databases can appear after the search.
    var canGrow: Bool {
        switch self {
        case .machine: true
        case .paths(let paths): paths.contains(where: Self.isFolder)
        }
    }

    /// Whether the source is a single file, in which case no list is shown.
    var isOneFile: Bool {
        guard case .paths(let paths) = self else { return false }
        return paths.count == 1 && !canGrow && !isSearch
    }

    /// Whether an argument is no file, but may name a process, a container, or a file in one.
    var isSearch: Bool {
        guard case .paths(let paths) = self else { return false }
        return paths.contains { !FilePath.exists($0) }
    }

    /// The text to show until a database is found.
    var placeholder: String {
        switch self {
        case .machine:
            "No process that is visible to this user has an SQLite database open. "
                + "Each database appears here as soon as a process opens it."
        case .paths(let paths):
            "There is no SQLite database in "
                + paths.map(Escaping.terminal).joined(separator: ", ")
                + ". Each database appears here as soon as a process creates it."
        }
    }

    /// The error message for a search that finds no database.
    var notFoundMessage: String {
        switch self {
        case .machine:
            "no process that is visible to this user has an SQLite database open"
        case .paths(let paths):
            "there is no SQLite database that this user can read in '"
                + paths.map(Escaping.terminal).joined(separator: "', '")
                + "'; subfolders are not searched"
        }
    }

    /// Searches for databases.
    ///
    /// - Throws: `CommandFailure` if a folder cannot be listed.
    func find(_ search: DatabaseSearch) throws -> Found {
        var found = Found()
        switch self {
        case .machine:
            let result = search.openDatabases()
            found.paths = result.databases.map(\.path)
            found.notes = result.notes
        case .paths(let paths):
            let open = isSearch ? search.openDatabases().databases : []
            for path in paths {
                guard Self.isFolder(path) else {
                    let exists = FilePath.exists(path)
                    let named = exists ? [] : open.filter { $0.isNamed(path) }.map(\.path)
                    guard !named.isEmpty || !path.hasPrefix("pid:") else {
                        throw CommandFailure(
                            "process \(Escaping.terminal(String(path.dropFirst(4)))) has no SQLite "
                                + "database open, or its open files are not visible to this user"
                        )
                    }
                    found.paths += named.isEmpty ? [path] : named
                    continue
                }
                guard let databases = search.databases(in: path) else {
                    throw CommandFailure(
                        "the folder '\(Escaping.terminal(path))' cannot be listed; run the "
                            + "command as a user with permission to read it"
                    )
                }
                found.paths += databases
            }
        }
        var knownPaths: Set<String> = []
        found.paths.removeAll { path in
            // The root directory of a process is a link, too.
            let isInRoot = path.hasPrefix("/proc/")
            let real =
                isInRoot ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            return !knownPaths.insert(real).inserted
        }
        let limit = WatchSession.databaseLimit
        if found.paths.count > limit {
            found.notes.append(
                "Of \(found.paths.count) databases, only the first \(limit) are watched. To watch "
                    + "other databases, specify their files."
            )
            found.paths = Array(found.paths.prefix(limit))
        }
        return found
    }

    private static func isFolder(_ path: String) -> Bool { FilePath.isFolder(path) }
}

/// A trace of the statements of watched programs, in addition to a watch session.
///
/// If tracing fails, the reports contain the reason and all data that is available without tracing.
struct SQLWatch {
    private let session: (any StatementTrace)?
    /// The reason that SQL is not traced, or `nil`.
    let problem: String?

    /// The time between two reads of events.
    ///
    /// The time must be short enough that the kernel's buffer does not fill up.
    private static let pollInterval = Duration.milliseconds(20)

    /// Uses a trace that has started.
    init(_ session: any StatementTrace) {
        self.session = session
        problem = nil
    }

    init(paths: [String], options: SQLTraceOptions) {
        guard !options.readsStartedPrograms else {
            session = AgentTraceSession.opened(options, paths: paths, planning: Self.planning)
            problem = nil
            return
        }
        do throws(TraceError) {
            session = try SQLTraceSession(
                paths: paths,
                commands: Self.commands,
                options: options
            )
            problem = nil
        } catch {
            session = nil
            problem = "SQL is not shown: \(error.description)."
        }
    }

    /// The command for the process that plans statements.
    static let planning = ClientProcess.command(StatementPlanSubcommand.name)
    static let commands = SQLTraceCommands(
        calibration: ClientProcess.command(SQLCalibrationSubcommand.name),
        planning: planning,
        opening: ClientProcess.command(OpenGateSubcommand.name)
    )

    func add(_ paths: [String]) {
        for path in paths { session?.add(path: path) }
    }

    func end() { session?.close() }

    /// Watches for a duration, reading events at short intervals.
    func run(_ watch: WatchSession, for duration: Duration, until isStopped: () -> Bool) {
        guard let session else { return watch.run(for: duration, until: isStopped) }
        let clock = ContinuousClock()
        let end = clock.now + duration
        while !isStopped() {
            let remaining = end - clock.now
            guard remaining > .zero else { return }
            watch.run(for: min(remaining, Self.pollInterval), until: isStopped)
            session.poll()
        }
    }

    func complete(_ reports: inout [WatchReport]) {
        for index in reports.indices {
            if let problem { reports[index].notes.append(problem) }
        }
        session?.completeReports(&reports)
    }
}
