/// An error that explains why a change to the load is not possible.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested change and the reason why it is not possible.
    public let description: String
}
