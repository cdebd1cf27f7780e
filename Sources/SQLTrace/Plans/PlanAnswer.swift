/// What the process that plans statements answers.
struct PlanAnswer: Codable, Equatable {
    /// The names of tables, columns and indexes, in lower case.
    var names: [String] = []
    /// The steps of each statement's plan; empty where it could not be prepared.
    var plans: [[String]] = []
}

/// What it is asked.
struct PlanRequest: Codable, Equatable {
    /// The database file, whose schema is read.
    var path: String
    /// The statements.
    var statements: [String]
}
