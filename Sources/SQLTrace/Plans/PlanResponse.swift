/// The response from the process that plans statements.
struct PlanResponse: Codable, Equatable {
    /// The names in the schema, in lowercase.
    var names: [String] = []
    /// The steps of each statement's plan, or an empty array for a statement that could not be
    /// prepared.
    var plans: [[String]] = []
    /// An index for each statement that would scan or sort less with it, such as
    /// `orders (user, state)`.
    var indexes: [String?] = []
    /// The tables between which the schema has foreign keys, in lowercase.
    var keyTables: [String] = []
}

struct PlanRequest: Codable, Equatable {
    /// The path of the database file with the schema.
    var path: String
    var statements: [String]
}
