/// One transaction of a connection, as far as its pace matters.
struct Visit {
    /// The connection's number.
    var connection: Int
    /// The shape's number.
    var shape: Int
    var start: Double
    var end: Double
    /// Whether its start is known, and not an estimate.
    var startIsKnown = true
    var duration: Double { max(0, end - start) }
}
