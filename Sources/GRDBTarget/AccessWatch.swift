#if GRDB
import GRDB
import Telemetry

/// A recorder of the accesses that wait for or hold GRDB's connections.
///
/// The watch observes accesses from outside GRDB. An access waits from its call until its closure
/// starts, so the wait includes GRDB's own work. A connection is held while a closure runs on it.
final class AccessWatch: Sendable {
    enum Resource: Sendable { case reader, writer, connection }

    /// A call that requests an access.
    struct Call: Sendable {
        fileprivate var number: UInt64
        fileprivate var calledAt: UInt64
        fileprivate var client: String
        fileprivate var resource: Resource
        fileprivate var isWrite: Bool
        fileprivate var isTask: Bool
    }

    /// An access inside its closure.
    struct Hold: Sendable {
        let observedConnection: ObservedConnection
        fileprivate var startedAt: UInt64
        fileprivate var resource: Resource
    }

    private struct Snapshot {
        var number: Int
        var label: String?
        var client: String
        var createdAt: UInt64
    }

    private struct State {
        var calls: [Call] = []
        /// The number of the last call.
        var lastNumber: UInt64 = 0
        var observedConnections: [ObjectIdentifier: ObservedConnection] = [:]
        var order: [ObservedConnection] = []
        var snapshots: [Snapshot] = []
        var snapshotsMade = 0
        var readersInUse = 0
        var readersPeak = 0
        var busyNanoseconds: UInt64 = 0
        var saturatedNanoseconds: UInt64 = 0
        var changedAt: UInt64 = 0
        var busyCount: UInt64 = 0
        var baseline: Baseline?
    }

    /// The counts of the histograms at the last restart.
    private struct Baseline: Sendable {
        var waits: AtomicHistogram.Counts
        var holds: AtomicHistogram.Counts
        var writerWaits: AtomicHistogram.Counts
        var writerHolds: AtomicHistogram.Counts
    }

    private let maximumReaders: Int?
    let interrupts = InterruptTally()
    private let state = Lock(State())
    private let waits = AtomicHistogram()
    private let holds = AtomicHistogram()
    private let writerWaits = AtomicHistogram()
    private let writerHolds = AtomicHistogram()

    init(maximumReaders: Int?) {
        self.maximumReaders = maximumReaders
    }

    /// Records that a client requested an access.
    func call(by client: String, isWrite: Bool, isTask: Bool = false) -> Call {
        let now = monotonicNanoseconds()
        let resource: Resource =
            maximumReaders == nil ? .connection : isWrite ? .writer : .reader
        return state.withLock { state in
            advance(&state, to: now)
            state.lastNumber += 1
            let call = Call(
                number: state.lastNumber,
                calledAt: now,
                client: client,
                resource: resource,
                isWrite: isWrite,
                isTask: isTask
            )
            state.calls.append(call)
            return call
        }
    }

    /// Records the start of an access's closure.
    func enter(_ call: Call, _ database: Database) -> Hold {
        let now = monotonicNanoseconds()
        let observedConnection = state.withLock { state in
            advance(&state, to: now)
            remove(call, from: &state)
            if call.resource == .reader {
                state.readersInUse += 1
                state.readersPeak = max(state.readersPeak, state.readersInUse)
            }
            return self.observedConnection(of: database, call.role, in: &state)
        }
        (call.resource == .writer ? writerWaits : waits).record(now - min(now, call.calledAt))
        observedConnection.enter(database, by: call.client, at: now)
        return Hold(observedConnection: observedConnection, startedAt: now, resource: call.resource)
    }

    /// Records the end of an access's closure.
    func leave(_ hold: Hold) {
        hold.observedConnection.leave()
        let now = monotonicNanoseconds()
        (hold.resource == .writer ? writerHolds : holds).record(now - min(now, hold.startedAt))
        guard hold.resource == .reader else { return }
        state.withLock { state in
            advance(&state, to: now)
            state.readersInUse -= 1
        }
    }

    /// Records the failure of an access, before or after its closure started.
    func fail(_ call: Call, with error: any Error) {
        let code = (error as? DatabaseError)?.resultCode
        let isBusy = code == .SQLITE_BUSY || code == .SQLITE_LOCKED
        let now = monotonicNanoseconds()
        state.withLock { state in
            advance(&state, to: now)
            remove(call, from: &state)
            if isBusy { state.busyCount += 1 }
        }
    }

    // MARK: Snapshots

    /// Records a new snapshot and returns the snapshot's unique number.
    func beginSnapshot(by client: String) -> Int {
        let now = monotonicNanoseconds()
        return state.withLock { state in
            state.snapshotsMade += 1
            let number = state.snapshotsMade
            state.snapshots.append(Snapshot(number: number, client: client, createdAt: now))
            return number
        }
    }

    /// Records the start of a closure on a snapshot's connection.
    func enterSnapshot(
        _ database: Database,
        _ number: Int,
        by client: String
    ) -> ObservedConnection {
        let label = database.description
        let observedConnection = state.withLock { state in
            if let index = state.snapshots.firstIndex(where: { $0.number == number }) {
                state.snapshots[index].label = label
            }
            return self.observedConnection(of: database, .snapshot, in: &state)
        }
        observedConnection.enter(database, by: client, at: monotonicNanoseconds())
        return observedConnection
    }

    /// Records the end of a snapshot and of its connection.
    func endSnapshot(_ number: Int) {
        state.withLock { state in
            guard let index = state.snapshots.firstIndex(where: { $0.number == number }) else {
                return
            }
            let label = state.snapshots.remove(at: index).label
            state.order.removeAll { $0.label == label }
            state.observedConnections = state.observedConnections.filter { $0.value.label != label }
        }
    }

    // MARK: Status

    /// Interrupts the connection's running statement.
    ///
    /// - Returns: `false` if no connection has the label.
    func interrupt(connection label: String) -> Bool {
        let observedConnection = state.withLock { $0.order.first { $0.label == label } }
        guard let observedConnection else { return false }
        _ = observedConnection.interrupt()
        return true
    }

    func recordInterruptOfAll() {
        let observedConnections = state.withLock { $0.order }
        interrupts.countRequest(withEffect: observedConnections.contains(where: \.isRunning))
    }

    /// Resets the waits and holds to zero.
    func restartTimes() {
        let baseline = Baseline(
            waits: .init(of: [waits]),
            holds: .init(of: [holds]),
            writerWaits: .init(of: [writerWaits]),
            writerHolds: .init(of: [writerHolds])
        )
        state.withLock { state in
            state.baseline = baseline
            state.readersPeak = state.readersInUse
        }
    }

    /// Returns the observed status, which lacks GRDB's internal state.
    func status(label: String, kind: DatabaseKind, path: String?) -> DatabaseStatus {
        let now = monotonicNanoseconds()
        let observed = state.withLock { state in
            advance(&state, to: now)
            return state
        }
        func waiters(_ isWrite: Bool) -> [WaiterStatus] {
            observed.calls.filter { $0.isWrite == isWrite }.map {
                WaiterStatus(
                    origin: AccessOrigin(name: $0.client),
                    waitedNanoseconds: now - min(now, $0.calledAt),
                    isAsync: $0.isTask
                )
            }
        }
        let ranks: [ConnectionRole] = [.queue, .writer, .reader, .snapshot]
        let order = observed.order.enumerated().sorted { lhs, rhs in
            let rank = { (observedConnection: ObservedConnection) in
                ranks.firstIndex(of: observedConnection.role) ?? 0
            }
            return (rank(lhs.element), lhs.element.label, lhs.offset)
                < (rank(rhs.element), rhs.element.label, rhs.offset)
        }
        var status = DatabaseStatus(
            label: label,
            kind: kind,
            path: path,
            takenAtNanoseconds: now,
            connections: order.map { $0.element.status(at: now) },
            waitingReaders: waiters(false),
            waitingWriters: waiters(true),
            acquire: AtomicHistogram.summary(
                of: [waits],
                without: observed.baseline?.waits,
                hasBuckets: true
            ),
            hold: AtomicHistogram.summary(
                of: [holds],
                without: observed.baseline?.holds,
                hasBuckets: true
            ),
            snapshots: observed.snapshots.map {
                SnapshotStatus(
                    label: $0.label ?? "\(label).snapshot",
                    origin: AccessOrigin(name: $0.client),
                    ageNanoseconds: now - min(now, $0.createdAt)
                )
            },
            snapshotsMade: UInt64(observed.snapshotsMade),
            interrupts: interrupts.status,
            busyCount: observed.busyCount
        )
        if let maximumReaders {
            status.readers = ReaderPoolStatus(
                inUse: observed.readersInUse,
                open: order.count { $0.element.role == .reader },
                maximum: maximumReaders,
                peak: observed.readersPeak,
                busyNanoseconds: observed.busyNanoseconds,
                saturatedNanoseconds: observed.saturatedNanoseconds
            )
            status.writerAcquire = AtomicHistogram.summary(
                of: [writerWaits],
                without: observed.baseline?.writerWaits,
                hasBuckets: true
            )
            status.writerHold = AtomicHistogram.summary(
                of: [writerHolds],
                without: observed.baseline?.writerHolds,
                hasBuckets: true
            )
        }
        return status
    }

    // MARK: With the lock held

    private func advance(_ state: inout State, to now: UInt64) {
        defer { state.changedAt = max(state.changedAt, now) }
        guard let maximumReaders, state.readersInUse > 0, now > state.changedAt else { return }
        let time = now - state.changedAt
        state.busyNanoseconds += time * UInt64(state.readersInUse)
        if state.readersInUse >= maximumReaders,
            state.calls.contains(where: { $0.resource == .reader })
        {
            state.saturatedNanoseconds += time
        }
    }

    private func remove(_ call: Call, from state: inout State) {
        if let index = state.calls.firstIndex(where: { $0.number == call.number }) {
            state.calls.remove(at: index)
        }
    }

    private func observedConnection(
        of database: Database,
        _ role: ConnectionRole,
        in state: inout State
    ) -> ObservedConnection {
        let key = ObjectIdentifier(database)
        let label = database.description
        // A new connection may have the address of a deallocated connection.
        if let known = state.observedConnections[key], known.label == label { return known }
        let observedConnection = ObservedConnection(label, role, interrupts)
        state.observedConnections[key] = observedConnection
        state.order.append(observedConnection)
        return observedConnection
    }
}

extension AccessWatch.Call {
    fileprivate var role: ConnectionRole {
        switch resource {
        case .reader: .reader
        case .writer: .writer
        case .connection: .queue
        }
    }
}
#endif
