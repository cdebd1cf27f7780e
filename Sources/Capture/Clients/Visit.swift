/// A transaction of a connection, reduced to its shape and its times, in seconds.
struct Visit {
    /// The connection's number.
    var connection: Int
    /// The shape's number.
    var shape: Int
    var start: Double
    var end: Double
    /// Whether the start is known rather than estimated.
    var startIsKnown = true
    var duration: Double { max(0, end - start) }
}
