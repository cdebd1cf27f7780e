import CSQLite
import Synchronization
import Telemetry

/// The place of one connection in a gate: free, taken, or still without a connection.
///
/// `@unchecked Sendable`: `database` and `outer` belong to whoever claimed the slot; `state` hands
/// them over (acquire and release). `shared` has a lock of its own.
final class AccessSlot: @unchecked Sendable {
    enum State {
        /// No connection yet: the next one to need it opens it.
        static let closed: UInt8 = 0
        /// Open, and nobody uses it.
        static let idle: UInt8 = 1
        /// Somebody's.
        static let taken: UInt8 = 2
        /// Closed for good.
        static let retired: UInt8 = 3
        /// Kept for somebody who waits for the readers: see ``GateSteps/reserve()``.
        static let reserved: UInt8 = 4
        /// Open and unused, and its connection keeps its read transaction.
        static let keeping: UInt8 = 5
        /// Unused, and a thread ends the transaction that its connection kept.
        static let ending: UInt8 = 6

        /// Whether an access may claim a slot in this state.
        @inline(__always)
        static func isFree(_ state: UInt8) -> Bool { state == idle || state == keeping }

        /// The state of the slot of an open connection that becomes free.
        @inline(__always)
        static func free(keepsTransaction: Bool) -> UInt8 { keepsTransaction ? keeping : idle }
    }

    /// Its number in the gate, from 0.
    let index: Int
    /// The label of its connection.
    let label: String
    /// The identity of its gate.
    let gate: UInt
    /// What can be seen of its connection; it stays when the connection is closed and opened anew.
    let probe: ConnectionProbe
    /// Where accesses run that must not block the caller's thread.
    let executor: SlotExecutor

    private let state = Atomic<UInt8>(State.closed)
    private let lost = Atomic<Bool>(false)

    /// What belongs to whoever claimed the slot; behind a pointer for the reason that
    /// ``Database/State`` gives.
    private struct Claimed {
        var database: Database?
        /// The connection's kept transaction; valid while `database` is set.
        var kept: UnsafeMutablePointer<KeptReadTransaction>?
        var outer: Unmanaged<AccessSlot>?
        var thread: UnsafeMutablePointer<ThreadState>?
        var site = AccessSite(word: 0)
    }

    private let claimed: UnsafeMutablePointer<Claimed>

    /// What those may use who do not hold the slot: `interrupt()` and the looks at the wal-index.
    private struct Shared {
        var connection: OpaquePointer?
        var walIndex: WALIndex?
    }

    /// Closing takes the same lock, so that nobody meets a closed connection.
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
        claimed = .allocate(capacity: 1)
        claimed.initialize(to: Claimed())
    }

    deinit {
        claimed.deinitialize(count: 1)
        claimed.deallocate()
    }

    /// The connection; only whoever claimed the slot may touch it.
    @inline(__always)
    var database: Database? { claimed.pointee.database }

    /// The access of the same thread around the current one.
    @inline(__always)
    var outer: Unmanaged<AccessSlot>? {
        get { claimed.pointee.outer }
        set { claimed.pointee.outer = newValue }
    }

    /// The thread whose access it is.
    @inline(__always)
    var thread: UnsafeMutablePointer<ThreadState>? {
        get { claimed.pointee.thread }
        set { claimed.pointee.thread = newValue }
    }

    /// The access that holds the slot, or the last one that did.
    @inline(__always)
    var site: AccessSite {
        get { claimed.pointee.site }
        set { claimed.pointee.site = newValue }
    }

    /// Takes the slot when its state is `expected`.
    ///
    /// The load is sequentially consistent for the sake of ``giveUp(_:)``: a waiter enqueues and then
    /// looks at the slots. A relaxed load may come first on some processors, and miss the slot.
    @inline(__always)
    func claim(from expected: UInt8, as desired: UInt8 = State.taken) -> Bool {
        guard state.load(ordering: .sequentiallyConsistent) == expected else { return false }
        return state.compareExchange(
            expected: expected,
            desired: desired,
            ordering: .acquiring
        ).exchanged
    }

    /// Takes the slot when its connection is open and free.
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

    /// Takes the slot when its connection is free and keeps a transaction, to end that; only
    /// ``GateSteps/release(_:)`` may follow.
    func claimKeeping() -> Bool { claim(from: State.keeping, as: State.ending) }

    /// Takes the slot when it has no connection.
    func claimClosed() -> Bool { claim(from: State.closed) }

    /// Gives the slot up.
    ///
    /// Sequentially consistent: whoever waits has said so before it looks at
    /// the slots for the last time, and the caller looks for waiters after this.
    @inline(__always)
    func giveUp(_ newState: UInt8) {
        _ = state.exchange(newState, ordering: .sequentiallyConsistent)
    }

    /// Whether somebody has it; where not, all is visible that was done by whoever had it last.
    var isTaken: Bool { state.load(ordering: .acquiring) == State.taken }

    /// Whether a thread has claimed the slot to end the transaction that its connection kept.
    var isEnding: Bool { state.load(ordering: .sequentiallyConsistent) == State.ending }

    /// Whether the slot is free, and its connection keeps its transaction.
    var keepsIdleTransaction: Bool {
        state.load(ordering: .sequentiallyConsistent) == State.keeping
    }

    /// Whether the connection keeps its transaction; only the holder of the slot may ask.
    @inline(__always)
    var keepsTransaction: Bool { claimed.pointee.kept?.pointee.isKept ?? false }

    /// Gives up the slot of an open connection.
    ///
    /// - Returns: Whether the connection keeps its transaction: ``ReadTransactionKeeper/didKeep()``
    ///   must follow.
    @inline(__always)
    func giveUpOpen() -> Bool {
        let keeps = keepsTransaction
        giveUp(State.free(keepsTransaction: keeps))
        return keeps
    }

    /// Whether its connection showed a state that no new one can show: only those who want
    /// this very slot gets it then.
    var isLost: Bool {
        get { lost.load(ordering: .sequentiallyConsistent) }
        set { lost.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Whether it is closed for good.
    var isRetired: Bool { state.load(ordering: .relaxed) == State.retired }

    /// Whether its connection is open.
    var isOpen: Bool { shared.withLock { $0.connection != nil } }

    /// Puts a connection in; the caller has claimed the slot.
    func install(_ database: Database, _ keeper: ReadTransactionKeeper) {
        claimed.pointee.database = database
        claimed.pointee.kept = database.kept
        database.slot = Unmanaged.passUnretained(self)
        if keeper.isOn { database.kept.pointee.keeper = Unmanaged.passUnretained(keeper) }
        shared.withLock { $0 = Shared(connection: database.handle) }
        database.shareWALIndex()
    }

    /// Takes the connection out, before it is closed; the caller has claimed the slot.
    func uninstall() -> Database? {
        shared.withLock { $0 = Shared() }
        if let database {
            probe.willClose()
            // The program may keep the connection's object for longer than the slot lives.
            database.slot = nil
            database.kept.pointee.disable()
        }
        claimed.pointee.kept = nil
        defer { claimed.pointee.database = nil }
        return claimed.pointee.database
    }

    /// Called at the end of each access, by its holder: reviews what a program may have done on the
    /// C connection.
    @inline(__always)
    func reviewIfExposed() {
        if claimed.pointee.kept?.pointee.isExposed ?? false { database?.reviewExposedHandle() }
    }

    /// Interrupts the statement that runs.
    ///
    /// - Parameter step: The step that is meant, as ``ConnectionProbe/runningStep`` tells it; nil
    ///   for whatever runs.
    /// - Returns: The step that was running; nil when none was, or another.
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

    /// Lets other threads use the connection's wal-index.
    func share(_ walIndex: WALIndex?) { shared.withLock { $0.walIndex = walIndex } }

    /// The wal-index of the connection, while that is open in WAL mode.
    var walIndex: WALIndex? { shared.withLock { $0.walIndex } }
}
