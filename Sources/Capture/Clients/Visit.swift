/// One transaction of a connection, as far as its pace matters.
struct Visit {
    /// The connection's number.
    var connection: Int
    /// The shape's number.
    var shape: Int
    var start: Double
    var end: Double
    var duration: Double { max(0, end - start) }
}
