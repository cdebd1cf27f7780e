/// A step of an operation.
///
/// All steps of an operation run in one access.
public indirect enum Step: Sendable, Equatable {
    /// A statement.
    ///
    /// The columns of the statement's first row become variables, in order, for later steps in the
    /// same access. If there is no row, the variables are NULL.
    case run(String, into: [String])
    /// Steps that run if a condition is true, and steps that run otherwise.
    case when(Condition, then: [Step], otherwise: [Step])
    /// Repeated steps. Each repetition draws new values for variables.
    case times(Int, [Step])
    /// A pause inside the access, which holds its connection and transaction.
    case pause(ThinkTime)

    /// A statement without fetched variables.
    public static func run(_ sql: String) -> Step { .run(sql, into: []) }

    /// The statements inside the step, each once, in order.
    var statements: [String] {
        switch self {
        case .run(let sql, _): [sql]
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.statements)
        case .times(_, let steps): steps.flatMap(\.statements)
        case .pause: []
        }
    }

    /// Whether the step is a statement without fetched variables.
    var isPlain: Bool {
        if case .run(_, let names) = self { names.isEmpty } else { false }
    }

    /// The variables that the step or a nested step fetches.
    var fetched: [String] {
        switch self {
        case .run(_, let names): names
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.fetched)
        case .times(_, let steps): steps.flatMap(\.fetched)
        case .pause: []
        }
    }

    /// Whether the step or a nested step pauses.
    var pauses: Bool {
        switch self {
        case .run: false
        case .when(_, let then, let otherwise): (then + otherwise).contains(where: \.pauses)
        case .times(_, let steps): steps.contains(where: \.pauses)
        case .pause: true
        }
    }
}
