/// An operation of a captured scenario.
struct PlannedOperation {
    /// A step.
    indirect enum Step {
        case statement(String)
        /// A query of one row whose columns keep their values for later steps.
        case keep(sql: String, into: [String])
        case loop(Int, [Step])
        case pause(RestModel)
    }

    var name: String
    var shape: Int
    var writes: Bool
    var steps: [Step]
    /// What could not be modelled of it.
    var problems: [String]
}
