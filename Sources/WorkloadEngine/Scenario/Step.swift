/// A step of an operation.
///
/// An operation runs all of its steps in one access.
public indirect enum Step: Sendable, Equatable {
    /// A statement that can store the columns of its first row in variables.
    ///
    /// Later steps in the same access can use these variables. If there is no row, the variables
    /// are NULL.
    case run(String, into: [String])
    /// Steps to run if a condition is true, and steps to run otherwise.
    case when(Condition, then: [Step], otherwise: [Step])
    /// Repeated steps, with new values for variables in each repetition.
    case times(Int, [Step])
    /// A pause during which the access keeps its connection and transaction.
    case pause(ThinkTime)

    /// Creates a statement that fetches no variables.
    public static func run(_ sql: String) -> Step { .run(sql, into: []) }

    /// The statements of the step and its nested steps, in order.
    ///
    /// The statements of repeated steps are listed once.
    var statements: [String] {
        switch self {
        case .run(let sql, _): [sql]
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.statements)
        case .times(_, let steps): steps.flatMap(\.statements)
        case .pause: []
        }
    }

    var isPlain: Bool {
        if case .run(_, let names) = self { names.isEmpty } else { false }
    }

    var fetched: [String] {
        switch self {
        case .run(_, let names): names
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.fetched)
        case .times(_, let steps): steps.flatMap(\.fetched)
        case .pause: []
        }
    }

    var pauses: Bool {
        switch self {
        case .run: false
        case .when(_, let then, let otherwise): (then + otherwise).contains(where: \.pauses)
        case .times(_, let steps): steps.contains(where: \.pauses)
        case .pause: true
        }
    }
}
