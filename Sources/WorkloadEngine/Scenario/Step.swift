/// One step of an operation; all of an operation's steps are made in one access.
public indirect enum Step: Sendable, Equatable {
    /// A statement.
    ///
    /// The columns of its first row become variables, in their order, for later steps of the same
    /// access; NULL where there is no row.
    case run(String, into: [String])
    /// Steps for the case that a condition holds, and steps for the case that it does not.
    case when(Condition, then: [Step], otherwise: [Step])
    /// Steps that are made again and again; each time their variables are drawn anew.
    case times(Int, [Step])
    /// A rest inside the access, which keeps its connection and transaction.
    case pause(ThinkTime)

    /// A statement of which nothing is kept.
    public static func run(_ sql: String) -> Step { .run(sql, into: []) }

    /// The statements inside, each once, in the order in which they stand.
    var statements: [String] {
        switch self {
        case .run(let sql, _): [sql]
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.statements)
        case .times(_, let steps): steps.flatMap(\.statements)
        case .pause: []
        }
    }

    /// Whether it is a statement of which nothing is kept.
    var isPlain: Bool {
        if case .run(_, let names) = self { names.isEmpty } else { false }
    }

    /// The variables that it, or a step inside, fetches.
    var fetched: [String] {
        switch self {
        case .run(_, let names): names
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.fetched)
        case .times(_, let steps): steps.flatMap(\.fetched)
        case .pause: []
        }
    }

    /// Whether it, or a step inside, rests.
    var pauses: Bool {
        switch self {
        case .run: false
        case .when(_, let then, let otherwise): (then + otherwise).contains(where: \.pauses)
        case .times(_, let steps): steps.contains(where: \.pauses)
        case .pause: true
        }
    }
}
