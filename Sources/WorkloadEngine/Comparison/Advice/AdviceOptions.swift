/// The options of a search for advice.
public struct AdviceOptions: Sendable {
    /// The arm to change, or `nil` for the arm `present` or the first arm.
    public var arm: String?
    /// The time limit, after which the search ends with the findings so far.
    public var within: Duration = .seconds(300)
    /// A function that returns the index proposals for an open database.
    public var indexes: @Sendable (any WorkloadTarget) throws -> IndexProposals = { _ in
        { _, _ in [] }
    }

    /// Returns `CREATE INDEX` statements for a statement and the lines of its `EXPLAIN QUERY PLAN`.
    public typealias IndexProposals = (_ sql: String, _ plan: [String]) -> [String]
    /// The options of each run.
    public var run = RunOptions()
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// A function that receives a description of each step before the step starts.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options, with a limit of five minutes.
    public init() {}
}
