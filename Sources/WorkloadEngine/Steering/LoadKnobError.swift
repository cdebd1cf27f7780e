/// An error that prevents a change to the load.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested change, and the reason that it is not possible.
    public let description: String
}
