/// A connection of a process.
struct ConnectionKey: Hashable, Sendable {
    var process: Int32
    /// The address of the connection.
    var connection: UInt64
}
