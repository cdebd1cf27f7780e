import Scenarios
import Text

/// A type that fills the periods in which a process had no probes.
///
/// A trace removes the probes of a process for a while if they would slow it down too much. The
/// executions that it recorded in the other periods are repeated, so that the load has the observed
/// rates, and the executions of other processes keep their times.
struct TraceGaps {
    /// The gaps of each process in order, without overlaps.
    private let gaps: [Int: [ClosedRange<Double>]]
    /// The time of the trace.
    private let period: ClosedRange<Double>
    /// The maximum number of executions to return.
    var limit = 1_000_000

    /// A period with probes and its executions.
    private struct Window {
        var period: ClosedRange<Double>
        var executions: [CapturedExecution]
        var length: Double { period.upperBound - period.lowerBound }
    }

    /// The shortest window, and the shortest gap to fill, in seconds.
    private static let shortestWindow = 1e-3
    private static let shortestGap = 0.01

    /// Creates the gaps from ranges that may be in any order and may overlap.
    init(_ gaps: [Int: [ClosedRange<Double>]], in period: ClosedRange<Double>) {
        self.period = period
        self.gaps = gaps.mapValues { ranges in
            var merged: [ClosedRange<Double>] = []
            for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                let gap = range.clamped(to: period)
                if let last = merged.last, gap.lowerBound <= last.upperBound {
                    merged[merged.count - 1] =
                        last.lowerBound...max(last.upperBound, gap.upperBound)
                } else {
                    merged.append(gap)
                }
            }
            return merged
        }
    }

    /// Repeats executions in the gaps of their processes.
    ///
    /// - Parameter executions: The executions, ordered by end time for each connection.
    /// - Returns: The executions, and their time. If there would be too many executions, it is the
    ///   first part of the trace.
    func filled(
        _ executions: [CapturedExecution]
    ) -> (executions: [CapturedExecution], period: ClosedRange<Double>) {
        var filled = executions.filter { gaps[$0.process] == nil }
        var windows: [Int: [Window]] = [:]
        for (process, executions) in Dictionary(grouping: executions, by: \.process)
        where gaps[process] != nil {
            windows[process] = self.windows(of: process, executions)
        }
        let length = period.upperBound - period.lowerBound
        let count = windows.values.reduce(Double(filled.count)) { count, windows in
            let recorded = windows.reduce(0) { $0 + $1.length }
            return count + Double(windows.reduce(0) { $0 + $1.executions.count }) * length
                / max(recorded, Self.shortestWindow)
        }
        let share = min(1, Double(limit) / max(count, 1))
        let period = period.lowerBound...(period.lowerBound + length * share)
        if share < 1 { filled.removeAll { $0.end > period.upperBound } }
        for windows in windows.values { filled += Self.repeated(windows, in: period) }
        let order = filled.indices.sorted { (filled[$0].end, $0) < (filled[$1].end, $1) }
        return (order.map { filled[$0] }, period)
    }

    private func windows(of process: Int, _ executions: [CapturedExecution]) -> [Window] {
        var windows: [Window] = []
        var start = period.lowerBound
        for gap in (gaps[process] ?? []) + [period.upperBound...period.upperBound] {
            if gap.lowerBound - start >= Self.shortestWindow {
                windows.append(Window(period: start...gap.lowerBound, executions: []))
            }
            start = max(start, gap.upperBound)
        }
        for execution in executions {
            // Executions in a gap are incomplete.
            guard let number = windows.firstIndex(where: { $0.period.contains(execution.end) })
            else { continue }
            windows[number].executions.append(execution)
        }
        return windows
    }

    /// Fills a period with windows, each of which keeps its time, and others in the time between.
    private static func repeated(
        _ windows: [Window],
        in period: ClosedRange<Double>
    ) -> [CapturedExecution] {
        guard windows.contains(where: { !$0.executions.isEmpty }) else { return [] }
        var filled: [CapturedExecution] = []
        var position = period.lowerBound
        var piece = 0
        // The next window to repeat.
        var next = 0
        func add(_ window: Window, upTo end: Double) {
            piece += 1
            for var execution in window.executions {
                execution.end += position - window.period.lowerBound
                guard execution.end <= end else { break }
                execution.piece = piece
                filled.append(execution)
            }
            position = min(end, position + window.length)
        }
        for window in windows + [
            Window(period: period.upperBound...period.upperBound, executions: [])
        ] {
            let gapEnd = min(window.period.lowerBound, period.upperBound)
            if gapEnd - position < Self.shortestGap { position = max(position, gapEnd) }
            while position < gapEnd {
                add(windows[next % windows.count], upTo: gapEnd)
                next += 1
            }
            if position < period.upperBound { add(window, upTo: period.upperBound) }
        }
        return filled
    }
}

/// What is known about the captured programs, apart from their statements: their names and the
/// settings of their connections.
package struct CapturedPrograms: Sendable {
    /// The settings of each connection, as values of pragmas.
    private var settings: [String: [String: String]] = [:]
    private var names: [Int: String] = [:]

    /// The maximum number of connections whose settings are kept.
    private static let capacity = 10_000
    /// The maximum length of a name, in characters.
    private static let nameLength = 24

    package init() {}

    /// Sets what is known about a connection, whose unknown settings remain as they were.
    ///
    /// - Parameters:
    ///   - values: The settings in force, as values of pragmas.
    ///   - connection: The process and name of the connection.
    package mutating func set(_ values: [String: String], of connection: String) {
        guard settings.count < Self.capacity || settings[connection] != nil else { return }
        settings[connection, default: [:]].merge(values) { $1 }
    }

    /// Sets the name of a process, such as `python3 svc.py web`.
    package mutating func setName(_ name: String, of process: Int) {
        guard names.count < Self.capacity || names[process] != nil else { return }
        names[process] = name
    }

    /// Whether the process has a name.
    package func isNamed(_ process: Int) -> Bool { names[process] != nil }

    /// A setting that most connections have.
    struct Setting {
        var value: String
        var reason: String
    }

    /// Returns the setting in force for most transactions, or `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - pragma: The name of the setting.
    ///   - writes: For a setting that affects only writes, the number of each connection's write
    ///     transactions. Connections without any do not count, unless no connection has one.
    /// - Returns: The setting with its reason.
    func setting(_ pragma: String, writes: [String: Int] = [:]) -> Setting? {
        var known = settings.compactMap { name, values in
            values[pragma].map { (value: $0, writes: writes[name] ?? 0) }
        }
        let areWriters = known.contains { $0.writes > 0 }
        if areWriters { known = known.filter { $0.writes > 0 } }
        let counts = known.reduce(into: [String: Int]()) {
            $0[$1.value, default: 0] += max(1, $1.writes)
        }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        let users = areWriters ? "connections that write" : "connections"
        let reason =
            switch (known.count { $0.value == most.key }, known.count) {
            case (1, 1):
                areWriters ? "in force on the connection that writes" : "in force on its connection"
            case (let count, let all) where count == all:
                "in force on all \(HumanUnits.exact(all)) \(users)"
            case (let count, let all):
                "in force on \(HumanUnits.exact(count)) of \(HumanUnits.exact(all)) \(users)"
            }
        return Setting(value: most.key, reason: reason)
    }

    /// Returns the names of processes for a scenario, without the words that all of them have in
    /// common.
    ///
    /// `python3 svc.py web` and `python3 svc.py jobs` become `web` and `jobs`.
    func shortNames(of processes: Set<Int>) -> [Int: String] {
        let words = names.filter { processes.contains($0.key) }.mapValues { name in
            name.split(separator: " ").map(Self.plain).filter { !$0.isEmpty }
        }
        // A name of one word is the program. The first of several words is an interpreter.
        let common = Self.commonPrefix(words.values.map { $0 })
        return words.compactMapValues { words in
            let count = max(common, words.count > 1 ? 1 : 0)
            let rest = words.dropFirst(max(0, min(count, words.count - 1)))
            let name = rest.joined(separator: "-")
            return name.isEmpty ? nil : String(name.prefix(Self.nameLength))
        }
    }

    private static func commonPrefix(_ lists: [[String]]) -> Int {
        guard Set(lists).count > 1, let first = lists.first else { return 0 }
        return first.indices.first { index in
            lists.contains { !$0.indices.contains(index) || $0[index] != first[index] }
        } ?? first.count
    }

    /// Returns a word without a file extension, and without characters that have a meaning in
    /// scenarios.
    private static func plain(_ word: Substring) -> String {
        let stem = word.split(separator: ".", omittingEmptySubsequences: true).first ?? word
        return String(
            String.UnicodeScalarView(
                stem.unicodeScalars.map { scalar in
                    let isPlain =
                        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                        || ("0"..."9").contains(scalar) || scalar == "_"
                    return isPlain ? scalar : "-"
                }
            )
        ).split(separator: "-").joined(separator: "-")
    }
}

/// An execution of a statement, from a trace or a log.
package struct CapturedExecution: Sendable, Equatable {
    /// The time when the execution ended, in seconds from an origin that all executions share.
    package var end: Double
    package var process: Int
    /// The name of the connection that executed the statement, unique within its process.
    package var connection: String
    /// The statement, with its parameters or with literals.
    package var sql: String
    /// The result code (<https://sqlite.org/rescode.html>), where 0, 100, and 101 mean success.
    package var code: Int
    /// Whether the connection is outside a transaction after the execution, or `nil` if unknown.
    package var autocommit: Bool?
    /// The duration, in seconds, or `nil` if only the end or only the start is known.
    package var seconds: Double?
    /// The time from the first step to the end, in seconds, or `nil` if it equals ``seconds``.
    package var elapsed: Double?
    /// The time that the program spent between the steps, in seconds.
    package var betweenSteps: Double
    /// The time that the execution waited for a lock, in seconds.
    ///
    /// This time is used if the duration is unknown.
    package var waited: Double?
    /// The number of returned rows, or `nil` if unknown.
    package var rows: Int?
    /// The values of the parameters, in order of first appearance, or an empty array if unknown.
    package var values: [WorkloadValue]
    /// The line in the file, or `nil` for a live trace.
    package var line: Int?
    /// The estimated time by which a trace delayed ``end``, in seconds.
    package var traceSeconds = 0.0
    /// The number of the continuously recorded period, between which executions are missing.
    var piece = 0

    package init(
        end: Double,
        process: Int = 0,
        connection: String = "1",
        sql: String,
        code: Int = 0,
        autocommit: Bool? = nil,
        seconds: Double? = nil,
        elapsed: Double? = nil,
        betweenSteps: Double = 0,
        waited: Double? = nil,
        rows: Int? = nil,
        values: [WorkloadValue] = [],
        line: Int? = nil
    ) {
        self.end = end
        self.process = process
        self.connection = connection
        self.sql = sql
        self.code = code
        self.autocommit = autocommit
        self.seconds = seconds
        self.elapsed = elapsed
        self.betweenSteps = betweenSteps
        self.waited = waited
        self.rows = rows
        self.values = values
        self.line = line
    }

    /// The process and name of the connection.
    var connectionName: String { "\(process)/\(connection)" }

    /// The start time, or the start of the wait for locks if the duration is unknown.
    package var start: Double { end - (seconds ?? waited ?? 0) }

    /// Returns the time, in seconds, that the program itself spent since the end of an earlier
    /// execution.
    ///
    /// This is the time before the first step and between steps, without the cost of a trace. If
    /// other statements ran between the steps, their time and the gaps before them are excluded.
    func gap(since end: Double) -> Double {
        if firstStep >= end { return firstStep - end + betweenSteps }
        return max(0, start - end)
    }

    /// The start of the first step, which precedes ``start`` if the program spent time between
    /// steps.
    var firstStep: Double { elapsed.map { end - $0 } ?? start }

    /// Whether the execution succeeded: `SQLITE_OK`, `SQLITE_ROW`, or `SQLITE_DONE`.
    package var succeeded: Bool { [0, 100, 101].contains(code) }

    /// Whether the execution failed because of a lock: `SQLITE_BUSY` or `SQLITE_LOCKED`.
    package var wasBusy: Bool { [5, 6].contains(code & 0xff) }
}
