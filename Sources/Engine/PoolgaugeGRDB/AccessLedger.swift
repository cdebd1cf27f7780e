#if GRDB
import GRDB
import GRDBSQLite
import Synchronization
import Telemetry

/// The connections of a database, and the accesses that wait for them.
package final class AccessLedger: Sendable {
    /// An access whose closure has not started.
    private struct Call: Sendable {
        var number: UInt64
        var kind: WatchedAccess.Kind
        var site: CallSite
        /// The time of the call, in nanoseconds.
        var calledAt: UInt64
        var isTask: Bool
    }

    private struct State {
        var calls: [Call] = []
        /// The number of the last call.
        var lastNumber: UInt64 = 0
        /// The probes, keyed by the address of their connection.
        var probes: [UInt: GRDBProbe] = [:]
        /// The addresses, ordered by when the connections were opened.
        var order: [UInt] = []
        var snapshotsMade: UInt64 = 0
        /// The use of the readers, or `nil` for a queue.
        var readers: ReaderUse?
        var busyCount: UInt64 = 0
        var busyWaitNanoseconds: UInt64 = 0
        var baseline: Baseline?
    }

    /// The counts of the histograms at the last restart.
    private struct Baseline: Sendable {
        var waits: AtomicHistogram.Counts
        var holds: AtomicHistogram.Counts
        var writerWaits: AtomicHistogram.Counts
        var writerHolds: AtomicHistogram.Counts
    }

    /// Whether SQLite's trace function reports statements and transactions.
    ///
    /// Otherwise, accesses report their statements with ``GRDBProbe/statementDidStart(_:)``.
    let tracesStatements: Bool
    /// The interrupts of accesses that report their statements.
    package let interrupts = InterruptTally()
    let listeners = EventListeners()
    let statements = AtomicHistogram()
    let commits = AtomicHistogram()
    private let waits = AtomicHistogram()
    private let holds = AtomicHistogram()
    private let writerWaits = AtomicHistogram()
    private let writerHolds = AtomicHistogram()
    private let hasStarted = Atomic<Bool>(false)
    private let state = Lock(State())

    package init(tracesStatements: Bool) { self.tracesStatements = tracesStatements }

    /// Returns a configuration whose connections the ledger observes.
    package func observing(_ configuration: Configuration) -> Configuration {
        var observed = configuration
        observed.prepareDatabase { [self] in try ConnectionHooks.install(in: $0, for: self) }
        return observed
    }

    /// Whether the database has been opened.
    ///
    /// The statements that GRDB executes to open the database are not observed.
    var isObserving: Bool { hasStarted.load(ordering: .relaxed) }

    /// Starts observing the database.
    ///
    /// - Parameter maximumReaders: The maximum number of readers, or `nil` for a queue.
    package func start(maximumReaders: Int?) {
        let probes = state.withLock { state in
            state.readers = maximumReaders.map(ReaderUse.init(maximum:))
            return Array(state.probes.values)
        }
        for probe in probes { probe.finishOpening() }
        hasStarted.store(true, ordering: .relaxed)
    }

    // MARK: Connections

    func add(_ probe: GRDBProbe, for connection: OpaquePointer) {
        let address = UInt(bitPattern: connection)
        state.withLock { state in
            state.probes[address] = probe
            state.order.append(address)
            if probe.role == .snapshot { state.snapshotsMade += 1 }
        }
        if probe.role == .snapshot { listeners.emit(probe.label, .snapshotMade(by: nil)) }
    }

    func remove(_ probe: GRDBProbe) {
        let now = monotonicNanoseconds()
        state.withLock { state in
            guard let address = state.probes.first(where: { $0.value === probe })?.key else {
                return
            }
            state.probes[address] = nil
            state.order.removeAll { $0 == address }
        }
        if probe.role == .snapshot {
            listeners.emit(probe.label, .snapshotClosed(by: nil, age: now - probe.openedAt))
        } else {
            listeners.emit(probe.label, .connectionClosed)
        }
    }

    /// Records the start or the end of a hold.
    func didChange(_ change: ConnectionActivity.Change?, role: ConnectionRole, at now: UInt64) {
        guard let change else { return }
        if case .ended(let held) = change {
            switch role {
            case .reader, .queue: holds.record(held)
            case .writer: writerHolds.record(held)
            // The accesses of a snapshot are not accesses of its pool.
            case .snapshot: if state.withLock({ $0.readers == nil }) { holds.record(held) }
            }
        }
        guard role == .reader else { return }
        switch change {
        case .began: state.withLock { $0.readers?.beginHold(at: now) }
        case .ended: state.withLock { $0.readers?.endHold(at: now) }
        }
    }

    // MARK: Snapshots

    /// Records which access took a snapshot.
    package func didTakeSnapshot(on db: Database, at site: CallSite) {
        probe(of: db)?.didTakeSnapshot(site)
    }

    /// Runs a closure that uses the connection of a snapshot.
    package func useSnapshot<T>(
        _ db: Database,
        at site: CallSite,
        _ body: (GRDBProbe?) throws -> T
    ) rethrows -> T {
        guard let probe = probe(of: db) else { return try body(nil) }
        _ = probe.enter(site, on: db.sqliteConnection, at: monotonicNanoseconds())
        defer { probe.leave(waited: 0, failedUpgrade: false) }
        return try body(probe)
    }

    private func probe(of db: Database) -> GRDBProbe? {
        state.withLock { $0.probes[UInt(bitPattern: db.sqliteConnection)] }
    }

    // MARK: Waits

    /// Records that an access was requested, and returns the access's number.
    func call(
        _ kind: WatchedAccess.Kind,
        at site: CallSite,
        _ now: UInt64,
        isTask: Bool
    ) -> UInt64 {
        state.withLock { state in
            if kind == .read { state.readers?.beginWait(at: now) }
            state.lastNumber += 1
            state.calls.append(
                Call(
                    number: state.lastNumber,
                    kind: kind,
                    site: site,
                    calledAt: now,
                    isTask: isTask
                )
            )
            return state.lastNumber
        }
    }

    /// Ends the wait of an access because its closure starts.
    ///
    /// - Returns: The probe of the connection, or `nil` if the connection is not observed.
    func start(
        _ number: UInt64,
        on connection: OpaquePointer?,
        at now: UInt64,
        waited: UInt64
    ) -> GRDBProbe? {
        let probe = state.withLock { state in
            Self.remove(number, from: &state, at: now)
            let probe = state.probes[UInt(bitPattern: connection)]
            // Without the trace function, this is the only start of a hold.
            if !tracesStatements, probe?.role == .reader { state.readers?.beginHold(at: now) }
            return probe
        }
        (probe?.role == .writer ? writerWaits : waits).record(waited)
        return probe
    }

    /// Ends the wait of an access whose closure did not run.
    func end(_ number: UInt64) {
        state.withLock { Self.remove(number, from: &$0, at: monotonicNanoseconds()) }
    }

    private static func remove(_ number: UInt64, from state: inout State, at now: UInt64) {
        guard let index = state.calls.firstIndex(where: { $0.number == number }) else { return }
        let call = state.calls.remove(at: index)
        if call.kind == .read { state.readers?.endWait(at: now) }
    }

    // MARK: Locks and interrupts

    func didEncounterLock() { state.withLock { $0.busyCount += 1 } }

    func didWaitForLock(_ nanoseconds: UInt64) {
        state.withLock { $0.busyWaitNanoseconds += nanoseconds }
    }

    /// Interrupts the running statement of a connection.
    ///
    /// - Returns: `false` if no connection has the label.
    package func interrupt(connection label: String) -> Bool {
        let probe = state.withLock { $0.probes.values.first { $0.label == label } }
        probe?.interrupt()
        return probe != nil
    }

    /// Counts a request to interrupt all connections.
    package func countInterruptOfAll() {
        let probes = state.withLock { Array($0.probes.values) }
        interrupts.countRequest(withEffect: probes.contains(where: \.isRunningStatement))
    }

    func didRequestInterrupt(label: String) {
        let probes = state.withLock { Array($0.probes.values) }
        let isRunning = probes.contains(where: \.isRunningStatement)
        listeners.emit(label, .interruptRequested(metStatement: isRunning))
    }

    // MARK: Status

    /// Resets the waits, the holds, and the peak of the readers.
    package func restartTimes() {
        let baseline = Baseline(
            waits: .init(of: [waits]),
            holds: .init(of: [holds]),
            writerWaits: .init(of: [writerWaits]),
            writerHolds: .init(of: [writerHolds])
        )
        state.withLock { state in
            state.baseline = baseline
            state.readers?.restartPeak()
        }
    }

    /// Returns the observed status.
    ///
    /// With the trace function, interrupts are unknown, because GRDB does not report calls to its
    /// `interrupt()`.
    package func status(label: String, kind: DatabaseKind) -> DatabaseStatus {
        let now = monotonicNanoseconds()
        let observed = state.withLock { state in
            state.readers?.advance(to: now)
            return state
        }
        let ranks: [ConnectionRole] = [.queue, .writer, .reader, .snapshot]
        let probes = ranks.flatMap { role in
            observed.order.compactMap { observed.probes[$0] }.filter { $0.role == role }
        }
        func waiters(_ kind: WatchedAccess.Kind) -> [WaiterStatus] {
            observed.calls.filter { $0.kind == kind }.map { call in
                WaiterStatus(
                    origin: call.site.origin,
                    waitedNanoseconds: now - min(now, call.calledAt),
                    isAsync: call.isTask
                )
            }
        }
        func summary(
            _ histogram: AtomicHistogram,
            earlier: KeyPath<Baseline, AtomicHistogram.Counts>? = nil
        ) -> LatencySummary? {
            let counts = earlier.flatMap { path in observed.baseline.map { $0[keyPath: path] } }
            return AtomicHistogram.summary(of: [histogram], without: counts, hasBuckets: true)
        }
        var status = DatabaseStatus(
            label: label,
            kind: kind,
            takenAtNanoseconds: now,
            connections: probes.map { $0.status(at: now) },
            waitingReaders: waiters(.read),
            waitingWriters: waiters(.write),
            acquire: summary(waits, earlier: \.waits),
            hold: summary(holds, earlier: \.holds),
            snapshots: probes.filter { $0.role == .snapshot }.map { probe in
                let age = now - min(now, probe.openedAt)
                return SnapshotStatus(label: probe.label, origin: probe.owner, ageNanoseconds: age)
            },
            snapshotsMade: observed.snapshotsMade,
            interrupts: tracesStatements ? nil : interrupts.status,
            busyCount: observed.busyCount,
            isClosed: isObserving && !probes.contains { $0.role == .queue || $0.role == .writer }
        )
        status.statement = summary(statements)
        status.commit = summary(commits)
        status.busyWaitNanoseconds = observed.busyWaitNanoseconds
        if let readers = observed.readers {
            status.writerAcquire = summary(writerWaits, earlier: \.writerWaits)
            status.writerHold = summary(writerHolds, earlier: \.writerHolds)
            status.readers = ReaderPoolStatus(
                inUse: readers.inUse,
                open: probes.count { $0.role == .reader },
                maximum: readers.maximum,
                peak: readers.peak,
                busyNanoseconds: readers.busyTime,
                // Waits are observed only for accesses through the watched database.
                saturatedNanoseconds: observed.lastNumber > 0 ? readers.saturatedTime : nil
            )
        }
        return status
    }
}

/// The requests and outcomes of interrupts, as observed by accesses that report their statements.
package final class InterruptTally: Sendable {
    private struct State {
        var status = InterruptStatus()
        var lastRequest: UInt64?
    }

    private let state = Lock(State())
    private let latencies = AtomicHistogram()

    /// Counts a request.
    ///
    /// - Parameter withEffect: Whether a statement is running.
    package func countRequest(withEffect: Bool) {
        let now = monotonicNanoseconds()
        state.withLock { state in
            state.status.requested += 1
            state.lastRequest = now
            if !withEffect { state.status.withoutEffect += 1 }
        }
    }

    /// Counts a statement that ended with `SQLITE_INTERRUPT`.
    func countDelivery() {
        let now = monotonicNanoseconds()
        let request = state.withLock { state in
            state.status.delivered += 1
            return state.lastRequest
        }
        if let request { latencies.record(now - min(now, request)) }
    }

    package var status: InterruptStatus {
        var status = state.withLock { $0.status }
        status.latency = AtomicHistogram.summary(of: [latencies])
        return status
    }
}

/// The callbacks for the statements and locks of a connection.
///
/// SQLite calls them on the thread that uses the connection, with a pointer to the connection's
/// ``GRDBProbe``. An SQL function owns the probe. SQLite calls the function's destructor when
/// the connection is closed (<https://sqlite.org/c3ref/create_function.html>), after the last call
/// of the other callbacks.
enum ConnectionHooks {
    static func install(in db: Database, for ledger: AccessLedger) throws {
        guard let connection = db.sqliteConnection else { return }
        let retry = try LockRetry(of: db)
        let probe = GRDBProbe(db, retry: retry, ledger)
        let context = Unmanaged.passRetained(probe).toOpaque()
        // SQLite also calls the destructor if this call fails.
        let code = sqlite3_create_function_v2(
            connection,
            "poolgauge_connection",
            0,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            context,
            { call, _, _ in sqlite3_result_null(call) },
            nil,
            nil,
            { context in
                guard let context else { return }
                Unmanaged<GRDBProbe>.fromOpaque(context).takeRetainedValue().didClose()
            }
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        ledger.add(probe, for: connection)
        sqlite3_busy_handler(
            connection,
            { context, tries in
                ConnectionHooks.probe(context)?.encounterLock(tries: Int(tries)) == true ? 1 : 0
            },
            context
        )
        guard ledger.tracesStatements else { return }
        sqlite3_trace_v2(
            connection,
            UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, context, statement, text in
                guard let probe = ConnectionHooks.probe(context), let statement else { return 0 }
                if event == UInt32(SQLITE_TRACE_PROFILE) {
                    probe.statementDidEnd(OpaquePointer(statement))
                } else if let text {
                    let sql = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
                    probe.statementDidStart(OpaquePointer(statement), sql: sql)
                }
                return 0
            },
            context
        )
    }

    private static func probe(_ context: UnsafeMutableRawPointer?) -> GRDBProbe? {
        context.map { Unmanaged<GRDBProbe>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Statistics about the use of a pool's readers over time.
///
/// Times are in nanoseconds.
struct ReaderUse: Sendable, Equatable {
    /// The maximum number of readers.
    var maximum: Int
    private(set) var inUse = 0
    private(set) var peak = 0
    /// The number of accesses that are known to be waiting for a reader.
    private(set) var waitingCount = 0
    /// The total time that readers were held.
    private(set) var busyTime: UInt64 = 0
    /// The total time that all readers were in use while an access waited.
    private(set) var saturatedTime: UInt64 = 0
    private var changedAt: UInt64 = 0

    init(maximum: Int) { self.maximum = maximum }

    /// Adds the time since the last change to the totals.
    mutating func advance(to now: UInt64) {
        guard now > changedAt else { return }
        let time = now - changedAt
        changedAt = now
        busyTime += time * UInt64(inUse)
        if inUse >= maximum, waitingCount > 0 { saturatedTime += time }
    }

    mutating func restartPeak() { peak = inUse }

    mutating func beginHold(at now: UInt64) {
        advance(to: now)
        inUse += 1
        peak = max(peak, inUse)
    }

    mutating func endHold(at now: UInt64) {
        advance(to: now)
        inUse = max(0, inUse - 1)
    }

    mutating func beginWait(at now: UInt64) {
        advance(to: now)
        waitingCount += 1
    }

    mutating func endWait(at now: UInt64) {
        advance(to: now)
        waitingCount = max(0, waitingCount - 1)
    }
}
#endif
