/// An operation of the scenario, planned from a transaction shape.
struct PlannedOperation {
    indirect enum Step {
        case statement(String)
        /// A query for one row that provides values for later steps.
        case keep(sql: String, names: [String])
        case loop(Int, [Step])
        case pause(PauseModel)
    }

    var name: String
    /// The number of the shape.
    var shape: Int
    var writes: Bool
    var steps: [Step]
    /// The parts of the shape that the operation does not model.
    var problems: [String]
}

extension PlannedOperation.Step {
    /// The program's statements in the step, with the number of executions.
    var statements: [(sql: String, count: Int)] {
        switch self {
        case .statement(let sql): [(sql, 1)]
        case .keep, .pause: []
        case .loop(let count, let steps):
            steps.flatMap(\.statements).map { ($0.sql, $0.count * count) }
        }
    }
}
