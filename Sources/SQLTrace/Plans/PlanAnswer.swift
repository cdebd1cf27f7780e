/// The answer of the process that plans statements.
struct PlanAnswer: Codable, Equatable {
    /// The names of tables, columns and indexes, in lower case.
    var names: [String] = []
    /// The steps of each statement's plan; empty if the statement could not be prepared.
    var plans: [[String]] = []
}

/// A request to the process that plans statements.
struct PlanRequest: Codable, Equatable {
    /// The database file, whose schema is read.
    var path: String
    /// The statements.
    var statements: [String]
}
