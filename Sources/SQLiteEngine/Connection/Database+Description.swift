extension Database: CustomStringConvertible, CustomDebugStringConvertible {
    /// The label of the connection.
    public var description: String { label }

    /// The label of the connection, marked as a `Database`.
    public var debugDescription: String { "<Database: \(label)>" }
}
