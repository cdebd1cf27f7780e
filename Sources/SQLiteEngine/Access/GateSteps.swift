/// The steps of the protocol that threads follow to share the slots of a gate.
///
/// Extensions of `GateSteps` define the protocol once: the order in which a thread enqueues itself
/// and searches for a free slot, and the order in which a thread frees its slot and checks for
/// waiters. Each requirement below is one step. Other threads observe each step as a whole.
///
/// ``AccessGate`` implements the steps with atomics and a lock. A test implements them on a value,
/// runs the same protocol one step at a time, and explores every interleaving of several threads.
///
/// `Failure` is `Never` in ``AccessGate``, so its methods do not throw, and the compiler
/// specializes them. The test's steps throw to stop a thread between two steps.
protocol GateSteps {
    associatedtype Slot
    associatedtype Waiter: GateWaiter where Waiter.Slot == Slot
    associatedtype Failure: Error

    /// The gate's fixed set of slots.
    var slots: [Slot] { get }

    /// Whether the only slot can be reserved, as in the gate of a pool's writer.
    var supportsReservation: Bool { get }

    // MARK: Slots

    func claim(_ slot: Slot, from state: UInt8) throws(Failure) -> Bool

    /// Acquires a slot as soon as its state is ``AccessSlot/State/reserved``.
    func claimWhenReserved(_ slot: Slot) throws(Failure)

    /// Frees a slot that the caller holds.
    func free(_ slot: Slot, as state: UInt8) throws(Failure)

    func hasConnection(_ slot: Slot) throws(Failure) -> Bool

    /// Returns whether a caller that can use any slot may open a connection in this slot.
    func mayBeOpened(_ slot: Slot) -> Bool

    // MARK: Conditions

    /// Returns the conditions that a thread must handle when it releases a slot.
    ///
    /// The read is relaxed, so the result may be outdated.
    func readConditionsRelaxed() throws(Failure) -> GateConditions

    func readConditions() throws(Failure) -> GateConditions

    func endKeptTransaction(of slot: Slot) throws(Failure)

    /// Prevents connections from keeping read transactions until ``allowKeeping()`` is called.
    func forbidKeeping() throws(Failure)

    func allowKeeping() throws(Failure)

    // MARK: The queue

    func queueIsClosed() throws(Failure) -> Bool

    /// Returns whether the queue contains a task that can use any slot.
    func queueHasTask() throws(Failure) -> Bool

    /// Adds a waiter, or returns `false` if the gate is closed.
    func enqueue(_ waiter: Waiter) throws(Failure) -> Bool

    /// Removes a waiter that has acquired a slot itself or has failed.
    func withdraw(_ waiter: Waiter) throws(Failure) -> GateWithdrawal<Slot>

    func startWatching(_ waiter: Waiter) throws(Failure) -> GateWaiterState<Slot>

    /// Keeps a waiter's thread awake until the waiter is granted a slot or a short time has
    /// elapsed.
    func watch(_ waiter: Waiter) throws(Failure)

    /// Ends the watch that ``startWatching(_:)`` started, and returns the slot that was granted in
    /// the meantime, if any.
    func stopWatching(_ waiter: Waiter) throws(Failure) -> Slot?

    /// Grants a held slot to a waiter, or frees the slot.
    func handOver(_ slot: Slot) throws(Failure) -> GateHandover<Waiter>

    func setReserved(_ isReserved: Bool) throws(Failure)

    /// Releases the only slot to its reserver, or returns `false` if no access has reserved it.
    func freeIfReserved(_ slot: Slot) throws(Failure) -> Bool

    // MARK: Sleeping

    /// Puts the calling thread to sleep until it is woken.
    ///
    /// A patient waiter sleeps only until its patience expires.
    ///
    /// - Returns: Whether the waiter is still patient.
    func sleep(_ waiter: Waiter, isPatient: Bool) throws(Failure) -> Bool

    /// Wakes a waiter's thread, because a slot is free.
    func notify(_ waiter: Waiter) throws(Failure)

    /// Wakes a waiter's thread, or resumes its task, because it was granted a slot.
    func wake(_ waiter: Waiter, granted slot: Slot) throws(Failure)

    func wakeThreads() throws(Failure)

    /// Returns whether a waiter that holds slots would wait forever.
    func isDeadlocked(_ waiter: Waiter) throws(Failure) -> Bool
}

/// The conditions that threads must handle when they release a slot of a gate.
///
/// The lower half of the word counts the waiters. The upper half counts the accesses that prevent
/// connections from keeping read transactions.
struct GateConditions: Equatable {
    /// The value that one access adds to the word to prevent connections from keeping transactions.
    static let forbidding = 1 << 32

    let word: Int

    @inline(__always)
    var isNone: Bool { word == 0 }

    @inline(__always)
    var hasWaiters: Bool { word & (Self.forbidding - 1) != 0 }

    /// Whether connections must not keep read transactions, or the slot is reserved.
    @inline(__always)
    var forbidsKeeping: Bool { word >= Self.forbidding }
}

/// The obligations that a waiter passes on when it leaves the queue.
struct GateWithdrawal<Slot> {
    /// The slot that another thread granted to the waiter before the withdrawal, if any.
    var granted: Slot?
    /// Whether another thread may have left a slot free for this waiter.
    var mayLeaveFreeSlot: Bool
}

/// The state of a waiter whose thread has woken up.
enum GateWaiterState<Slot> {
    case waiting
    case granted(Slot)
    case closed
}

enum GateHandover<Waiter> {
    case free
    /// The slot is free, and the caller must notify the waiter.
    case notify(Waiter)
    /// The slot was granted to the waiter, which needs no wake-up if `isAwake` is `true`.
    case grant(Waiter, isAwake: Bool)
}

enum GateWaitEnd<Slot> {
    case slot(Slot)
    case closed
    case deadlocked
}
