/// The time for which a connection is idle between two accesses, in nanoseconds.
///
/// The time ends when the waiter is awake or another access overtakes the waiter.
struct HandoverTime: Sendable {
    var reader = 0.0
    var writer = 0.0
}
