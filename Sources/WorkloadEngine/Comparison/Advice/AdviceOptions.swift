/// The options of a search for advice.
public struct AdviceOptions: Sendable {
    /// The arm that the candidates change; nil for `present`, or the first arm.
    public var arm: String?
    /// The time limit: the search then ends with the results found so far.
    public var within: Duration = .seconds(300)
    /// Returns a function that proposes indexes for the statements of an open database.
    public var indexes: @Sendable (any WorkloadTarget) throws -> IndexProposals = { _ in
        { _, _ in [] }
    }

    /// A function that takes a statement and the lines of its `EXPLAIN QUERY PLAN`, and returns
    /// `CREATE INDEX` statements.
    public typealias IndexProposals = (_ sql: String, _ plan: [String]) -> [String]
    /// The options of each run.
    public var run = RunOptions()
    /// The versions of the libraries in use, for the result's environment.
    public var versions: [String: String] = [:]
    /// Called before each step with a line that describes it.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: five minutes.
    public init() {}
}
