/// How long a connection is nobody's between two accesses, in nanoseconds: until who waits for it
/// is awake, or has been overtaken.
struct HandoverTime: Sendable {
    /// Between two accesses that wait for a reader.
    var reader = 0.0
    /// Between two accesses that wait for the writer.
    var writer = 0.0
}
