/// The error for an invalid change to a running load.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested change and the reason it is invalid.
    public let description: String
}
