/// The time for which a connection is idle between two accesses, in nanoseconds.
///
/// The time ends when the waiter is awake or another access overtakes the waiter.
struct HandoverTime: Sendable {
    /// The time between two accesses to a reader.
    var reader = 0.0
    /// The time between two accesses to the writer.
    var writer = 0.0
}
