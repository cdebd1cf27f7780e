/// The time that a connection is idle between two accesses, in nanoseconds.
///
/// The idle time ends when the waiter is awake or when another access overtakes it.
struct HandoverTime: Sendable {
    /// The time between two accesses that wait for a reader.
    var reader = 0.0
    /// The time between two accesses that wait for the writer.
    var writer = 0.0
}
