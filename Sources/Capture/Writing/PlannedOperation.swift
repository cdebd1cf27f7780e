import WorkloadEngine

/// An operation of the scenario, planned from a transaction shape.
struct PlannedOperation {
    var name: String
    /// The number of the shape.
    var shape: Int
    var writes: Bool
    var steps: [Step]
    /// The parts of the shape that the operation does not model.
    var problems: [String]

    /// The program's statements, with the number of executions.
    ///
    /// A query for the values of later steps is not one of them.
    var statements: [(sql: String, count: Int)] { steps.flatMap(Self.statements) }

    private static func statements(of step: Step) -> [(sql: String, count: Int)] {
        switch step {
        case .run(let sql, into: let names): names.isEmpty ? [(sql, 1)] : []
        case .times(let count, let steps):
            steps.flatMap(statements).map { ($0.sql, $0.count * count) }
        case .pause, .when: []
        }
    }
}
