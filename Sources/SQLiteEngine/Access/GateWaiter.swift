import Telemetry

/// The properties of a waiter that determine how it is served.
protocol GateWaiter {
    associatedtype Slot

    /// The start time of the wait, in nanoseconds on the monotonic clock.
    var since: UInt64 { get }
    /// The period after ``since`` during which running threads may overtake the waiter, in
    /// nanoseconds.
    ///
    /// The queue sets this property when it adds the waiter.
    var patience: UInt64 { get set }
    /// The only slot that can serve the waiter, or `nil` if any slot can.
    var wanted: Slot? { get }
    /// Whether a reserved slot can serve the waiter; see ``GateSteps/reserve()``.
    var mayBorrow: Bool { get }
    /// Whether the waiter is a task or a callback, which blocks no thread while it waits.
    var isTask: Bool { get }
    /// Whether the thread was notified and has not searched for a slot since then.
    var isNotified: Bool { get set }
    /// Whether the thread is awake and therefore requires no wake-up when a slot is granted.
    var isAwake: Bool { get set }

    /// Returns whether both values represent the same waiter, possibly at different times.
    func isSame(as other: Self) -> Bool
    /// Returns whether a slot can serve the waiter once the slot is free.
    func canUse(_ slot: Slot) -> Bool
    mutating func grant(_ slot: Slot)
}

extension GateWaiter {
    /// Returns whether the waiter must be granted the next slot.
    ///
    /// Tasks are always entitled, because they do not search for a slot themselves. Waiters for one
    /// specific slot and awake threads are also entitled. An awake thread takes over a slot without
    /// delay.
    func isEntitled(at now: UInt64) -> Bool {
        isTask || isAwake || wanted != nil || now &- since >= patience
    }
}

extension GateWaiter where Self: AnyObject {
    func isSame(as other: Self) -> Bool { self === other }
}
