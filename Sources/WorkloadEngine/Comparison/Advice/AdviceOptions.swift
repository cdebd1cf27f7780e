import Findings

/// Options for an advice search.
package struct AdviceOptions: Sendable {
    /// The name of the arm to change.
    ///
    /// If `nil`, the search uses the arm named `present` or, if there is none, the first arm.
    package var arm: String?
    /// The time limit, after which the search ends and returns its findings so far.
    package var timeLimit: Duration = .seconds(300)
    /// A function that returns advice on indexes for the plans of statements on an open database.
    package var indexes:
        @Sendable (any WorkloadTarget, [OperationProfile.Plan]) throws -> IndexAdvice = { _, _ in
            IndexAdvice()
        }
    /// The options for each run.
    package var run = RunOptions()
    /// The library versions to record in the result's environment.
    package var versions: [String: String] = [:]
    /// A function that receives a description of each step before the step starts.
    package var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options, with a limit of five minutes.
    package init() {}
}

/// Indexes that may make statements faster, and what prevents one.
package struct IndexAdvice: Sendable, Equatable {
    /// Sets of `CREATE INDEX` statements, most promising first.
    package var indexes: [[String]]
    /// The reasons that statements cannot use an index.
    package var obstacles: [LoadFacts.Obstacle]

    /// Creates advice.
    package init(indexes: [[String]] = [], obstacles: [LoadFacts.Obstacle] = []) {
        self.indexes = indexes
        self.obstacles = obstacles
    }
}
