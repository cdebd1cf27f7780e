import Findings
import Scenarios
import Telemetry
import Text

/// A ledger that groups a run's `SQLITE_BUSY` failures by cause, client, code, and statement.
///
/// Any thread can use the ledger. The ledger's memory does not grow during the run.
final class BusyLedger: Sendable {
    struct Failure: Sendable {
        var cause: BusyCause
        var client: String
        /// The name of the extended result code, or `nil` for a checkpoint that reported a lock.
        var code: String?
        var statement: String?
        /// The length of the wait, in nanoseconds, or `nil` if unknown.
        var waited: UInt64?
        /// The busy timeout, in nanoseconds, or `nil` if unknown.
        var timeout: UInt64?
        var holder: String?
        /// Whether the worker retries the access instead of counting an error.
        var isRetried = false
    }

    private struct Key: Hashable {
        var cause: BusyCause
        var client: String
        var code: String?
        var statement: String?
    }

    fileprivate struct Group: Sendable {
        var count: UInt64 = 0
        var retried: UInt64 = 0
        var waited: UInt64?
        var longest: UInt64?
        var timeout: UInt64?
        var holders: [String: UInt64] = [:]
    }

    private struct State: Sendable {
        var groups: [Key: Group] = [:]
        /// The number of failures outside the groups.
        var others: UInt64 = 0
    }

    /// The maximum number of groups.
    ///
    /// The ledger only counts failures outside these groups.
    static let limit = 64
    /// The maximum number of holders in a group.
    ///
    /// Additional holders are recorded as unknown.
    static let holderLimit = 8
    /// The maximum length of a statement, in bytes, before it is shortened.
    static let statementLimit = 500

    private let state = Lock(State())

    func add(_ failure: Failure) {
        let key = Key(
            cause: failure.cause,
            client: failure.client,
            code: failure.code,
            statement: failure.statement.map(Self.shortened)
        )
        state.withLock { state in
            guard state.groups[key] != nil || state.groups.count < Self.limit else {
                state.others += 1
                return
            }
            state.groups[key, default: Group()].add(failure)
        }
    }

    private static func shortened(_ sql: String) -> String {
        guard sql.utf8.count > statementLimit else { return sql }
        return String(sql.prefix(statementLimit)) + "…"
    }

    var result: BusyResult? {
        let state = state.withLock { $0 }
        guard !state.groups.isEmpty else { return nil }
        let groups = state.groups.map { key, group in
            BusyResult.Group(
                cause: key.cause,
                client: key.client,
                code: key.code,
                statement: key.statement,
                count: group.count,
                retried: group.retried,
                waited: group.waited,
                longestWait: group.longest,
                timeout: group.timeout,
                holders: group.holders,
                remedy: key.cause.remedy(
                    timeout: group.timeout,
                    holder: group.mostFrequentHolder,
                    client: key.client
                )
            )
        }
        return BusyResult(
            groups: groups.sorted { one, other in
                (other.count, one.client, one.cause.rawValue, one.statement ?? "")
                    < (one.count, other.client, other.cause.rawValue, other.statement ?? "")
            },
            others: state.others
        )
    }
}

extension BusyLedger.Group {
    fileprivate mutating func add(_ failure: BusyLedger.Failure) {
        count += 1
        if failure.isRetried { retried += 1 }
        if let time = failure.waited {
            waited = (waited ?? 0) + time
            longest = max(longest ?? 0, time)
        }
        timeout = failure.timeout ?? timeout
        var holder = failure.holder ?? LockHolders.unknown
        if holders[holder] == nil, holders.count >= BusyLedger.holderLimit {
            holder = LockHolders.unknown
        }
        holders[holder, default: 0] += 1
    }

    fileprivate var mostFrequentHolder: String? {
        holders.filter { $0.key != LockHolders.unknown }
            .max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}

/// The information that workers need to classify `SQLITE_BUSY` failures and find the lock
/// holders.
final class BusyRecord: Sendable {
    let ledger = BusyLedger()
    /// The busy timeout of connections that write, in nanoseconds, or `nil` if unknown.
    let timeout: UInt64?
    private let isWAL: Bool
    private let target: any WorkloadTarget
    private let recorders = Lock<[(client: String, recorder: WorkerRecorder)]>([])

    init(_ arm: Arm, on target: any WorkloadTarget) {
        timeout = arm.writerTimeout?.wholeNanoseconds
        isWAL = arm.isWAL
        self.target = target
    }

    func add(_ recorder: WorkerRecorder, of client: String) {
        recorders.withLock { $0.append((client, recorder)) }
    }

    func writingClient() -> String? { target.writingClient }

    /// Returns the client whose access has been running the longest, or `nil` if no access can be
    /// the cause.
    ///
    /// Any access can block a checkpoint. With a rollback journal, any access can also block a
    /// commit, because each access holds at least a shared lock
    /// (<https://sqlite.org/lockingv3.html>).
    func longestRunning(except recorder: WorkerRecorder, _ cause: BusyCause) -> String? {
        guard cause == .checkpoint || (cause == .timeout && !isWAL) else { return nil }
        return recorders.withLock { recorders in
            recorders.filter { $0.recorder !== recorder }
                .compactMap { entry in entry.recorder.runningSince.map { (entry.client, $0) } }
                .min { $0.1 < $1.1 }?.0
        }
    }
}

extension Arm {
    /// The busy timeout of a connection that writes, or `nil` if a pragma sets an invalid timeout.
    var writerTimeout: Duration? {
        let pragma = pragmas.last { $0.name.lowercased() == "busy_timeout" }
        if let pragma { return Int64(pragma.value).map { .milliseconds(max(0, $0)) } }
        if driver != nil { return busyTimeout }
        return busyTimeout ?? (library == .raw ? .seconds(10) : .zero)
    }
}

extension Arm {
    /// The busy handler's settings, such as `timeout 5.00 s, retry fixed 1.00 ms`, if any.
    var busySettings: String? {
        guard let busyTimeout else { return nil }
        let timeout = "timeout \(ReportUnits.time(busyTimeout.wholeNanoseconds))"
        switch busyRetry {
        case nil: return timeout
        case .backoff?: return timeout + ", retry backoff"
        case .fixed(let pause)?:
            return timeout + ", retry fixed \(ReportUnits.time(pause.wholeNanoseconds))"
        }
    }
}
