/// An error that prevents a change of the load.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested change, and why it is not possible.
    public let description: String
}
