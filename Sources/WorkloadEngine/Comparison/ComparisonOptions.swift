import Foundation

/// How a comparison is carried out.
public struct ComparisonOptions: Sendable {
    /// How many blocks there are: in each, every arm runs once.
    public var blocks = 10
    /// How long the measured part of each run lasts.
    public var duration: Duration = .seconds(2)
    /// The arms to compare, by name, in the scenario's order; nil for all.
    public var arms: [String]?
    /// How each run is carried out.
    public var run = RunOptions()
    /// Called with a line that says which run comes next.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks of two seconds over all arms.
    public init() {}
}
