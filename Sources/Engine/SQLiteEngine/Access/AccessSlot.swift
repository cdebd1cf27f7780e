import CSQLite
import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A slot of a gate, which holds at most one connection.
///
/// `@unchecked Sendable`: only the slot's holder uses the unchecked properties. Each change of
/// holder goes through `state`, with acquire and release ordering. A lock protects `shared`.
final class AccessSlot: @unchecked Sendable {
    enum State {
        /// Without a connection; the next access that uses the slot opens one.
        static let closed: UInt8 = 0
        /// Open and unused.
        static let idle: UInt8 = 1
        /// Held by an access.
        static let taken: UInt8 = 2
        /// Closed permanently.
        static let retired: UInt8 = 3
        /// Reserved for an access that waits for the readers; see ``GateSteps/reserve()``.
        static let reserved: UInt8 = 4
        /// Open and unused, with a connection that keeps its read transaction.
        static let keeping: UInt8 = 5
        /// Unused, while a thread ends the transaction that the connection kept.
        static let ending: UInt8 = 6

        @inline(__always)
        static func isFree(_ state: UInt8) -> Bool { state == idle || state == keeping }

        @inline(__always)
        static func free(keepsTransaction: Bool) -> UInt8 { keepsTransaction ? keeping : idle }
    }

    let index: Int
    let label: String
    /// The ``AccessGate/identity`` of the slot's gate.
    let gate: UInt
    /// The connection's measurements, which persist when the connection is closed and reopened.
    let probe: ConnectionProbe
    /// Runs the accesses that must not block the caller's thread.
    let executor: SlotExecutor

    private let state = Atomic<UInt8>(State.closed)
    private let lost = Atomic<Bool>(false)

    // Only the slot's holder uses these values. See ``Database/handle`` for the reason that Swift
    // does not check their exclusivity.

    /// The connection.
    @exclusivity(unchecked) private(set) var database: Database?
    /// The same connection, which an access reads without the cost of counting references.
    @exclusivity(unchecked) private var openReference: Unmanaged<Database>?
    /// The connection's kept transaction, which is valid while `database` is set.
    @exclusivity(unchecked) private var kept: UnsafeMutablePointer<KeptReadTransaction>?
    /// The enclosing access on the same thread.
    @exclusivity(unchecked) var outer: Unmanaged<AccessSlot>?
    @exclusivity(unchecked) var thread: UnsafeMutablePointer<ThreadState>?
    /// The access that holds the slot or held it last.
    @exclusivity(unchecked) var site = AccessSite(word: 0)

    /// The values that threads use without holding the slot, to interrupt a statement or read the
    /// wal-index.
    private struct Shared {
        var connection: OpaquePointer?
        var walIndex: WALIndex?
    }

    /// Closing a connection acquires the same lock, so no thread uses a closed connection.
    private let shared = Lock(Shared())

    init(
        index: Int,
        label: String,
        gate: UInt,
        probe: ConnectionProbe,
        dispatching: AccessDispatching = AccessDispatching()
    ) {
        self.index = index
        self.label = label
        self.gate = gate
        self.probe = probe
        executor = SlotExecutor(dispatching, label: label)
    }

    /// The slot's connection, which must be open.
    @inline(__always)
    var openDatabase: Database { reference.takeUnretainedValue() }

    /// The slot's connection, which must be open, without retaining it.
    ///
    /// Only an access that holds the slot can remove the connection.
    @inline(__always)
    var reference: Unmanaged<Database> {
        guard let openReference else { fatalError("The connection \(label) is not open.") }
        return openReference
    }

    /// Acquires the slot if its state is `expected`.
    ///
    /// The load is sequentially consistent and pairs with ``free(_:)``. A waiter enters the queue
    /// and then searches the slots. Some processors may perform a relaxed load too early, and the
    /// waiter would then miss the slot.
    @inline(__always)
    func claim(from expected: UInt8, as desired: UInt8 = State.taken) -> Bool {
        guard state.load(ordering: .sequentiallyConsistent) == expected else { return false }
        return state.compareExchange(
            expected: expected,
            desired: desired,
            ordering: .acquiring
        ).exchanged
    }

    /// Acquires the slot if its connection is open and free.
    @inline(__always)
    func claimIdle() -> Bool {
        let found = state.load(ordering: .sequentiallyConsistent)
        guard State.isFree(found) else { return false }
        return state.compareExchange(
            expected: found,
            desired: State.taken,
            ordering: .acquiring
        ).exchanged
    }

    /// Acquires the slot to end the transaction that its free connection keeps.
    ///
    /// The caller ends the transaction and then calls ``GateSteps/release(_:)``.
    func claimKeeping() -> Bool { claim(from: State.keeping, as: State.ending) }

    func claimClosed() -> Bool { claim(from: State.closed) }

    /// Releases the slot.
    ///
    /// The store is sequentially consistent. A waiter enters the queue before its last search of
    /// the slots, and the caller checks for waiters after this store.
    @inline(__always)
    func free(_ newState: UInt8) {
        _ = state.exchange(newState, ordering: .sequentiallyConsistent)
    }

    /// Whether an access holds the slot.
    ///
    /// If the value is `false`, all writes by the last holder are visible.
    var isTaken: Bool { state.load(ordering: .acquiring) == State.taken }

    var isEnding: Bool { state.load(ordering: .sequentiallyConsistent) == State.ending }

    var keepsIdleTransaction: Bool {
        state.load(ordering: .sequentiallyConsistent) == State.keeping
    }

    /// Whether the connection keeps its transaction.
    ///
    /// Only the slot's holder may read this property.
    @inline(__always)
    var keepsTransaction: Bool { kept?.pointee.isKept ?? false }

    /// Releases the slot of an open connection.
    ///
    /// - Returns: Whether the connection keeps its transaction. If it does, the caller must call
    ///   ``ReadTransactionKeeper/didKeep()``.
    @inline(__always)
    func freeOpen() -> Bool {
        let keeps = keepsTransaction
        free(State.free(keepsTransaction: keeps))
        return keeps
    }

    /// Whether new connections can no longer read the state that this connection reads.
    ///
    /// If so, only accesses that request this specific slot acquire it.
    var isLost: Bool {
        get { lost.load(ordering: .sequentiallyConsistent) }
        set { lost.store(newValue, ordering: .sequentiallyConsistent) }
    }

    var isRetired: Bool { state.load(ordering: .relaxed) == State.retired }

    var isOpen: Bool { shared.withLock { $0.connection != nil } }

    /// Installs a connection in a slot that the caller holds.
    func install(_ database: Database, _ keeper: ReadTransactionKeeper) {
        self.database = database
        openReference = Unmanaged.passUnretained(database)
        kept = database.kept
        database.slot = Unmanaged.passUnretained(self)
        if keeper.isOn { database.kept.pointee.keeper = Unmanaged.passUnretained(keeper) }
        shared.withLock { $0 = Shared(connection: database.handle) }
        database.shareWALIndex()
    }

    /// Removes the connection, before it is closed, from a slot that the caller holds.
    func uninstall() -> Database? {
        shared.withLock { $0 = Shared() }
        if let database {
            probe.willClose()
            // The program may keep the `Database` object longer than the slot.
            database.slot = nil
            database.kept.pointee.disable()
        }
        kept = nil
        openReference = nil
        defer { database = nil }
        return database
    }

    /// Detects changes that the program may have made through the C connection.
    ///
    /// The holder calls this method at the end of each access.
    @inline(__always)
    func reviewIfExposed() {
        if kept?.pointee.isExposed ?? false { database?.reviewExposedHandle() }
    }

    /// Interrupts the running statement.
    ///
    /// - Parameter step: The step to interrupt, from ``ConnectionProbe/runningStep``, or `nil` for
    ///   any step.
    /// - Returns: The step that was running, or `nil` if no step or a different step was running.
    @discardableResult
    func interrupt(_ step: UInt64? = nil) -> UInt64? {
        shared.withLock { shared in
            guard let connection = shared.connection else { return nil }
            let running = probe.runningStep
            if let step, running != step { return nil }
            if running != nil { probe.willInterrupt() }
            sqlite3_interrupt(connection)
            return running
        }
    }

    func share(_ walIndex: WALIndex?) { shared.withLock { $0.walIndex = walIndex } }

    /// The connection's wal-index, or `nil` if the connection is not open in WAL mode.
    var walIndex: WALIndex? { shared.withLock { $0.walIndex } }
}

extension AccessSlot: Hashable {
    static func == (left: AccessSlot, right: AccessSlot) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The dispatch settings of a gate's asynchronous accesses.
struct AccessDispatching: Sendable {
    /// The quality of service to use if no target queue is set.
    var qos = DispatchQoS.userInitiated
    /// The target queue of all work, or `nil` for Dispatch's default.
    var target: DispatchQueue?

    func makeQueue(label: String) -> DispatchQueue {
        if let target { return DispatchQueue(label: label, target: target) }
        return DispatchQueue(label: label, qos: qos)
    }
}

extension Configuration {
    var readDispatching: AccessDispatching { AccessDispatching(qos: qos, target: targetQueue) }

    /// The dispatch settings of the writer's accesses.
    ///
    /// A read-only pool uses the readers' settings.
    var writeDispatching: AccessDispatching {
        if readonly { return readDispatching }
        return AccessDispatching(qos: qos, target: writeTargetQueue ?? targetQueue)
    }
}

/// An executor that runs the asynchronous accesses of one connection on a Dispatch thread.
///
/// SQLite therefore never blocks the cooperative thread pool. Each connection has one executor,
/// regardless of the number of waiters.
final class SlotExecutor: Sendable {
    /// Whether the configuration specifies a queue for the work, which may also run other work.
    let hasTarget: Bool
    private let queue: DispatchQueue

    init(_ dispatching: AccessDispatching, label: String) {
        hasTarget = dispatching.target != nil
        queue = dispatching.makeQueue(label: label)
    }

    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func sync<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        var result: Result<T, E>?
        queue.sync { result = Result(catching: body) }
        guard let result else { fatalError("A dispatch queue did not run its work.") }
        return try result.get()
    }
}
