import Findings
import Foundation
import PoolgaugeAgent
import SQLiteWatch
import Telemetry

/// A summary of a sample, which searches and reports read without decoding the sample.
package struct RecordedFacts: Sendable, Equatable {
    /// The longest wait at the time of the sample, in nanoseconds, or `nil` if it is unknown.
    package var waitNanoseconds: UInt64?
    /// The number of waiting accesses or processes.
    package var waiting: Int?
    /// The size of the write-ahead log, in bytes.
    package var walBytes: UInt64?
    /// The number of `SQLITE_BUSY` results or encountered locks since the previous sample.
    package var busy: UInt64?
    /// The share of time that the database was saturated since the previous sample, from 0 to 1.
    ///
    /// A pool is saturated while all readers are in use and an access waits. A watched file is
    /// saturated while a process holds the write lock.
    package var saturation: Double?
    /// The number of accesses or, for a watched file, of commits per second.
    package var rate: Double?

    package init() {}
}

/// A tracker that computes the facts of consecutive samples of one source.
struct FactTracker {
    private var before: DatabaseStatus?
    /// The number of `SQLITE_BUSY` results in the previous report on a watched database.
    private var busyBefore: UInt64?

    mutating func facts(of value: RecordedValue) -> RecordedFacts {
        switch value {
        case .watch(let report): return facts(of: report)
        case .run(let sample):
            var facts = facts(of: sample.database)
            facts.saturation = sample.saturation ?? facts.saturation
            facts.rate = sample.clients.reduce(0) {
                $0 + ($1.throughput.isFinite ? $1.throughput : 0)
            }
            return facts
        case .agent(let status): return facts(of: status.database)
        }
    }

    private mutating func facts(of database: DatabaseStatus) -> RecordedFacts {
        defer { before = database }
        var facts = RecordedFacts()
        facts.waiting = database.waitingReaders.count + database.waitingWriters.count
        facts.waitNanoseconds = database.oldestWaiterNanoseconds ?? 0
        facts.walBytes = database.wal?.bytes
        // A restarted program or a new arm resets the counts.
        guard let before, database.takenAtNanoseconds > before.takenAtNanoseconds,
            database.busyCount >= before.busyCount
        else {
            facts.busy = before == nil ? 0 : database.busyCount
            return facts
        }
        facts.busy = database.busyCount - before.busyCount
        let elapsed = Double(database.takenAtNanoseconds - before.takenAtNanoseconds)
        if let now = database.readers?.saturatedNanoseconds,
            let last = before.readers?.saturatedNanoseconds, now >= last
        {
            facts.saturation = min(Double(now - last) / elapsed, 1)
        }
        let (accesses, earlier) = (Self.accesses(database), Self.accesses(before))
        if accesses >= earlier { facts.rate = Double(accesses - earlier) / (elapsed / 1e9) }
        return facts
    }

    private static func accesses(_ database: DatabaseStatus) -> UInt64 {
        (database.acquire?.count ?? 0) &+ (database.writerAcquire?.count ?? 0)
    }

    private mutating func facts(of report: WatchReport) -> RecordedFacts {
        var facts = RecordedFacts()
        facts.waiting = report.processes.count { $0.waiting?.isWaiting == true }
        let blocked = (report.blocked ?? []).map(\.seconds).max()
        // Without tracing, a wait is known from the checks that found the process waiting.
        let waits = report.processes.compactMap { $0.waiting?.seconds }
        facts.waitNanoseconds = (blocked ?? waits.max() ?? (facts.waiting == 0 ? 0 : nil))
            .map(Self.nanoseconds)
        facts.walBytes = report.wal?.bytes
        // A report counts from the start of the trace on.
        let busy = report.busyCount
        facts.busy = busy.map { $0 - min($0, busyBefore ?? 0) }
        busyBefore = busy ?? busyBefore
        facts.saturation = min(report.processes.reduce(0) { $0 + $1.share.writer.value }, 1)
        facts.rate = report.wal?.commitsPerSecond ?? report.rollback?.transactionsPerSecond
        return facts
    }

    private static func nanoseconds(_ seconds: Double) -> UInt64 {
        seconds.isFinite ? UInt64(min(max(seconds, 0), 1e9) * 1e9) : 0
    }
}

/// The kind of values that a session of a recording contains.
package enum RecordedKind: String, Sendable, Codable, Equatable {
    /// Samples of a run.
    case run
    /// Reports on a database that other programs use.
    case watch
    /// The statuses of a program with an agent.
    case agent
}

/// A sample of a run, a report of a watch, or the status of an agent.
package enum RecordedValue: Sendable, Equatable {
    case run(Sample)
    case watch(WatchReport)
    case agent(AgentStatus)

    package var kind: RecordedKind {
        switch self {
        case .run: .run
        case .watch: .watch
        case .agent: .agent
        }
    }

    /// The name of the source: the arm, the path of the database, or the agent.
    package var sourceName: String {
        switch self {
        case .run(let sample): sample.arm
        case .watch(let report): report.file.path
        case .agent(let status): status.name
        }
    }

    /// Returns the value as JSON with sorted keys, which makes consecutive texts similar.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return switch self {
        case .run(let sample): Array(try encoder.encode(sample))
        case .watch(let report): Array(try encoder.encode(report))
        case .agent(let status): Array(try encoder.encode(status))
        }
    }

    init(json: [UInt8], kind: RecordedKind) throws {
        let decoder = JSONDecoder()
        let data = Data(json)
        switch kind {
        case .run: self = .run(try decoder.decode(Sample.self, from: data))
        case .watch: self = .watch(try decoder.decode(WatchReport.self, from: data))
        case .agent: self = .agent(try decoder.decode(AgentStatus.self, from: data))
        }
    }

    /// Returns the value with `change` applied to the SQL of each connection.
    ///
    /// The statements of a watch are already masked, unless the user requested their literals.
    func mappingSQL(_ change: (String) -> String) -> RecordedValue {
        switch self {
        case .run(var sample):
            Self.changeSQL(of: &sample.database, change)
            return .run(sample)
        case .agent(var status):
            Self.changeSQL(of: &status.database, change)
            return .agent(status)
        case .watch: return self
        }
    }

    private static func changeSQL(of database: inout DatabaseStatus, _ change: (String) -> String) {
        for index in database.connections.indices {
            database.connections[index].sql = database.connections[index].sql.map(change)
        }
    }
}
