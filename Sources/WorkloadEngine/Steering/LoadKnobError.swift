/// Why a knob cannot be turned.
public struct LoadKnobError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Who or what was asked for, and why that cannot be.
    public let description: String
}
