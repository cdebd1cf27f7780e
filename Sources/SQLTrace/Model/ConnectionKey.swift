/// A connection of a process.
struct ConnectionKey: Hashable, Sendable {
    var process: Int32
    /// Its address.
    var connection: UInt64
}
