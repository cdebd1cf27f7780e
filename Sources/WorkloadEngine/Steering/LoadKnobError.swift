/// The error for a change to the load that is not possible.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A description of the requested change and why it is not possible.
    public let description: String
}
