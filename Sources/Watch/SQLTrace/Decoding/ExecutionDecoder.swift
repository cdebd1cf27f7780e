import Findings
import Text

/// A decoder that converts the records of the kernel's programs to statement executions.
///
/// The programs send the text of a statement and the file of a connection before the first
/// execution that uses it. The decoder stores them for the process.
struct ExecutionDecoder {
    /// A closure that returns the watched database to which a path in a process refers.
    typealias FileMatch = (_ process: Int32, _ path: String) -> WatchedFileMatch

    enum Output: Sendable, Equatable {
        /// An execution and the numbers of its watched database and of its library.
        case execution(StatementExecution, database: Int, library: Int)
        /// A connection was closed, which ends its transaction.
        case closed(process: Int32, connection: UInt64, time: UInt64)
    }

    private struct Process {
        struct File {
            var path: String
            var match: WatchedFileMatch
            /// Whether the connection enforced foreign keys when it was first seen.
            var foreignKeys: Bool?
        }

        var files: [UInt64: File] = [:]
        /// What records have sent, and from where: the records between two others may be lost.
        struct Part<Content> {
            var time: UInt64
            var statement: UInt64
            var connection: UInt64
            var kind: Int
            var content: Content

            init(_ record: ProbeRecord, _ content: Content) {
                time = record.time
                statement = record.statement
                connection = record.connection
                kind = Self.kind(of: record)
                self.content = content
            }

            /// Returns whether a record continues this part.
            func isContinued(by record: ProbeRecord) -> Bool {
                time == record.time && statement == record.statement
                    && connection == record.connection && kind == Self.kind(of: record)
            }

            private static func kind(of record: ProbeRecord) -> Int {
                switch record.kind {
                case .text: 1
                case .file: 2
                default: 3
                }
            }
        }

        /// The texts of statements, with redacted keys, and when they were sent.
        var texts: [UInt64: (text: String, time: UInt64)] = [:]
        /// The received parts of a text, of a path, or of values, by thread.
        var parts: [Int32: Part<[UInt8]>] = [:]
        /// The values of the next execution, by thread.
        var values: [Int32: Part<[StatementValue]>] = [:]
        /// The counters of statements after their last execution.
        var counters: [UInt64: SIMD8<UInt32>] = [:]
    }

    /// The time that the probes add to each recorded step, in nanoseconds.
    var stepOverhead: UInt64 = 0
    /// The time that the probes add between two steps of a statement, in nanoseconds.
    var overheadBetweenSteps: UInt64 = 0
    /// The time that the probes add to each step, and to the end of an execution, in nanoseconds.
    var executionOverhead: (step: Double, end: Double) = (0, 0)
    /// The time that the probes of other statements add inside a step, in nanoseconds.
    var innerOverhead: (hit: Double, `return`: Double) = (0, 0)

    private let database: FileMatch
    private var processes: [Int32: Process] = [:]

    /// The number of discarded executions on other database files.
    private(set) var otherExecutions: UInt64 = 0
    /// The number of discarded executions on files that could not be identified.
    private(set) var unknownFiles: UInt64 = 0
    /// The number of executions on watched files with unreadable text.
    private(set) var unknownTexts: UInt64 = 0

    /// The maximum length of a text, in bytes, which is longer than what the programs send.
    private static let textLimit = 1 << 16
    /// The maximum number of statements and of connections to store for a process.
    ///
    /// The kernel discards its entries earlier, and then sends the texts again.
    private static let capacity = 1 << 17
    /// The maximum number of threads of a process in the middle of a text.
    private static let threadLimit = 1 << 12
    /// The maximum length of all texts, in bytes.
    private static let totalTextLimit = 1 << 28
    private var textBytes = 0

    init(database: @escaping FileMatch) { self.database = database }

    /// Decodes a record.
    ///
    /// - Returns: An execution, or the end of a connection, or `nil`.
    mutating func decode(_ record: ProbeRecord) -> Output? {
        switch record.kind {
        case .execution(let end): return execution(end, record: record)
        case .text(let part, let isFirst, let isLast):
            guard let bytes = complete(part, isFirst: isFirst, isLast: isLast, record: record)
            else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            store(SecretKeys.redacted(isLast ? text : text + "…"), of: record)
        case .file(let part, let isFirst, let isLast, let foreignKeys):
            guard let bytes = complete(part, isFirst: isFirst, isLast: isLast, record: record)
            else { return nil }
            let path = PathText.text(of: bytes)
            let match = database(record.process, path)
            if processes[record.process]?.files.count ?? 0 >= Self.capacity {
                processes[record.process]?.files = [:]
            }
            processes[record.process, default: Process()].files[record.connection] =
                Process.File(path: path, match: match, foreignKeys: foreignKeys)
        case .values(let values): store(values, of: record)
        case .packedValues(let part, let isFirst, let isLast):
            guard let bytes = complete(part, isFirst: isFirst, isLast: isLast, record: record)
            else { return nil }
            store(ProbeRecord.values(packed: bytes), of: record)
        case .close:
            processes[record.process]?.files[record.connection] = nil
            return .closed(
                process: record.process,
                connection: record.connection,
                time: record.time
            )
        case .fork, .program, .copy, .unseen: break
        }
        return nil
    }

    /// A note about the executions on files that could not be identified, or `nil` if there are none.
    var unknownFilesNote: String? {
        switch unknownFiles {
        case 0: nil
        case 1: "1 execution is not counted because the file of its connection is unknown"
        default:
            "\(unknownFiles) executions are not counted because the files of their connections are "
                + "unknown"
        }
    }

    /// Discards the state of a process that has ended or executed a new program.
    mutating func forget(_ process: Int32) { processes[process] = nil }

    /// Returns the text of a statement that has been executed, or `nil` if it is unknown.
    func text(of statement: UInt64, _ process: Int32) -> String? {
        processes[process]?.texts[statement]?.text
    }

    /// Adds a part, and returns the text that the last part completes.
    private mutating func complete(
        _ part: [UInt8],
        isFirst: Bool,
        isLast: Bool,
        record: ProbeRecord
    ) -> [UInt8]? {
        if isFirst, isLast { return part }
        var process = processes.removeValue(forKey: record.process) ?? Process()
        defer { processes[record.process] = process }
        if isFirst {
            if process.parts.count >= Self.threadLimit { process.parts = [:] }
            process.parts[record.thread] = Process.Part(record, [])
        } else if process.parts[record.thread]?.isContinued(by: record) != true {
            // Without its first part, the text is not complete.
            process.parts[record.thread] = nil
            return nil
        }
        process.parts[record.thread]?.content.append(contentsOf: part)
        let count = process.parts[record.thread]?.content.count ?? 0
        guard isLast || count >= Self.textLimit - 1_024 else { return nil }
        return process.parts.removeValue(forKey: record.thread)?.content ?? []
    }

    private mutating func store(_ values: [StatementValue], of record: ProbeRecord) {
        if processes[record.process]?.values.count ?? 0 >= Self.threadLimit {
            processes[record.process]?.values = [:]
        }
        processes[record.process, default: Process()].values[record.thread] =
            Process.Part(record, values)
    }

    private mutating func store(_ text: String, of record: ProbeRecord) {
        if processes[record.process]?.texts.count ?? 0 >= Self.capacity {
            processes[record.process]?.texts = [:]
        }
        textBytes += text.utf8.count
        if textBytes > Self.totalTextLimit {
            for process in processes.keys { processes[process]?.texts = [:] }
            textBytes = text.utf8.count
        }
        processes[record.process, default: Process()].texts[record.statement] = (text, record.time)
    }

    private mutating func execution(
        _ end: ProbeRecord.Execution,
        record: ProbeRecord
    ) -> Output? {
        let last = processes[record.process]?.values.removeValue(forKey: record.thread)
        // The values of an execution whose record was lost belong to no other.
        let isOwn = last?.statement == record.statement && last?.time == record.time
        let values = isOwn ? last?.content ?? [] : []
        let file = processes[record.process]?.files[record.connection]
        // The first statement of a connection reads the schema before the file is known.
        if file == nil, end.isInternal { return nil }
        guard let file, case .watched(let database) = file.match else {
            if file?.match == .other { otherExecutions &+= 1 } else { unknownFiles &+= 1 }
            return nil
        }
        if end.followsText,
            processes[record.process]?.texts[record.statement]?.time != record.time
        {
            // The record of the text was lost, and the address was that of another statement.
            processes[record.process]?.texts[record.statement] = nil
        }
        let text = end.hasText ? processes[record.process]?.texts[record.statement]?.text : nil
        if let text, InternalStatements.contains(text) { return nil }
        if text == nil { unknownTexts &+= 1 }
        var execution = StatementExecution(
            end: record.time,
            process: record.process,
            thread: record.thread,
            connection: record.connection,
            statement: record.statement,
            source: end.source,
            database: file.path,
            sql: text,
            result: end.result,
            isAutocommit: end.isAutocommit,
            secondsWaited: busyWaitSeconds(end)
        )
        execution.hasBusyHandler = end.hasBusyHandler
        execution.firstForeignKeys = file.foreignKeys
        if let instructions = end.instructions, instructions.end >= instructions.start {
            execution.steps = instructions.end - instructions.start
        }
        execution.counters = counters(end, record: record)
        if !end.isPartial {
            // The cost of probes is an estimate, so a time is never 0.
            let inner =
                innerOverhead.hit * Double(end.innerHits)
                + innerOverhead.return * Double(end.innerReturns)
            let probes = min(
                stepOverhead &* UInt64(end.stepCount) &+ UInt64(inner),
                end.inside / 10 &* 9
            )
            execution.start = end.start
            execution.rows = end.rows
            execution.seconds = Double(end.inside - probes) / 1e9
            let steps = executionOverhead.step * Double(end.stepCount)
            execution.traceSeconds = (steps + executionOverhead.end + inner) / 1e9
            execution.secondsBetweenSteps = secondsBetweenSteps(end, until: record.time)
        }
        if !values.isEmpty, let text, !SecretKeys.contains(text) { execution.values = values }
        return .execution(execution, database: database, library: record.library)
    }

    /// Returns what SQLite counted in an execution, or `nil` if the counters before it are unknown.
    ///
    /// - Parameters:
    ///   - end: The execution.
    ///   - record: The record of the execution.
    /// - Returns: The counters.
    private mutating func counters(
        _ end: ProbeRecord.Execution,
        record: ProbeRecord
    ) -> WatchedCounters? {
        guard end.counterCount >= Counter.run else { return nil }
        let current = end.counters
        if processes[record.process]?.counters.count ?? 0 >= Self.capacity {
            processes[record.process]?.counters = [:]
        }
        var earlier = processes[record.process]?.counters
            .updateValue(current, forKey: record.statement)
        let runs = current[Counter.run - 1]
        if runs == 1 { earlier = SIMD8() }
        // A run that finds another schema prepares the statement and starts again.
        guard let earlier, earlier[Counter.instructions - 1] == end.instructions?.start,
            earlier[Counter.run - 1] < runs, all(current .>= earlier)
        else { return nil }
        let new = current &- earlier
        var counters = WatchedCounters()
        counters.runs = 1
        // A statement that SQLite has prepared again is not a new one.
        let isNew = runs == 1 && current[Counter.repreparation - 1] == 0
        counters.preparations = isNew ? 1 : 0
        counters.fullScanSteps = UInt64(new[Counter.fullScanStep - 1])
        counters.sorts = UInt64(new[Counter.sort - 1])
        counters.automaticIndexRows = UInt64(new[Counter.automaticIndex - 1])
        counters.repreparations = UInt64(new[Counter.repreparation - 1])
        if end.counterCount >= Counter.filterHit {
            counters.filterHits = UInt64(new[Counter.filterHit - 1])
        }
        return counters
    }

    /// The numbers of `sqlite3_stmt_status`.
    private enum Counter {
        static let fullScanStep = 1
        static let sort = 2
        static let automaticIndex = 3
        static let instructions = 4
        static let repreparation = 5
        static let run = 6
        static let filterHit = 8
    }

    /// Returns the time that the program spent between steps and after the last step, in seconds,
    /// or 0 if it is not longer than the cost of the probes.
    private func secondsBetweenSteps(_ end: ProbeRecord.Execution, until time: UInt64) -> Double {
        let all = end.between &+ (time - min(end.lastEnd, time))
        let probes = overheadBetweenSteps &* UInt64(end.stepCount)
        return all > 2 &* probes ? Double(all - probes) / 1e9 : 0
    }

    private func busyWaitSeconds(_ end: ProbeRecord.Execution) -> Double? {
        guard let calls = end.busyCalls else { return nil }
        let timeout = end.busyTimeout
        if calls > 0 {
            // A custom handler may use different delays.
            let limit = timeout > 0 ? Int(timeout) : nil
            return BusyWaits.seconds(calls: Int(calls), timeout: limit)
        }
        guard end.result & 0xff == 5 else { return 0 }
        // A negative count means that the handler stopped after the timeout. Without a handler, the
        // statement did not wait.
        if calls < 0 { return timeout > 0 ? Double(timeout) / 1_000 : nil }
        return 0
    }
}

/// Statements that SQLite runs internally.
private enum InternalStatements {
    /// Returns whether SQLite runs a text while it prepares a statement: to read the schema,
    /// statistics, or the settings of a virtual table (FTS5 and R-tree).
    static func contains(_ text: String) -> Bool {
        text.hasPrefix("SELECT*FROM\"") && text.hasSuffix(" ORDER BY rowid")
            || text.hasPrefix("SELECT tbl,idx,stat FROM ")
            || text.hasPrefix("SELECT name, rootpage, sql FROM ")
            || text.hasPrefix("SELECT k, v FROM '") && text.hasSuffix("_config'")
            || text.hasPrefix("SELECT length(data) FROM '") && text.contains("_node' WHERE nodeno")
            || text.hasPrefix("SELECT stat FROM '") && text.contains(".sqlite_stat1 WHERE tbl = '")
    }
}

/// A type that derives the waiting time of SQLite's built-in busy handler from the number of its
/// calls (`sqliteDefaultBusyCallback` in `main.c`).
enum BusyWaits {
    /// The delays of the first calls, in milliseconds.
    ///
    /// The last delay applies to all later calls.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Returns the total delay of the calls, in seconds.
    ///
    /// The busy timeout is in milliseconds, or `nil` for no limit.
    static func seconds(calls: Int, timeout: Int?) -> Double {
        let first = delays.prefix(calls).reduce(0, +)
        // Use a Double, which cannot overflow, because the number of calls comes from another
        // program.
        let all = Double(first) + Double(max(0, calls - delays.count)) * Double(delays.last ?? 0)
        guard let timeout else { return all / 1_000 }
        return min(all, Double(max(0, timeout))) / 1_000
    }
}
