/// The time that a connection is idle between two accesses, in nanoseconds, until the waiter is
/// awake or another access overtakes it.
struct HandoverTime: Sendable {
    /// The time between two accesses that wait for a reader.
    var reader = 0.0
    /// The time between two accesses that wait for the writer.
    var writer = 0.0
}
