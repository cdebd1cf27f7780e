extension Language {
    /// Somebody who uses the database.
    static let client = MappingShape(
        "client",
        "Somebody who uses the database: a kind of access, by some workers, at some pace.",
        alternatives: [["access"], ["action"]],
        [
            .init(
                "access",
                .words(["read", "write", "snapshot"]),
                "The kind of access that it makes."
            ),
            .init(
                "style",
                .words(Client.Style.allCases.map(\.rawValue)),
                "In what its workers live: sync (threads, the default), async (tasks that await) "
                    + "or process (a process each, which opens the same file)."
            ),
            .init("workers", .integer(1...1000), "How many do it at the same time; 1 by default."),
            .init(
                "think",
                .either([.quantity(.duration), .mapping(think)]),
                "Closed loop: how long a worker rests between two accesses: 5ms, or drawn."
            ),
            .init(
                "arrival",
                .mapping(arrival),
                "Open loop: accesses arrive on a schedule, whether or not a worker is free."
            ),
            .init("sql", .steps, "The statements and other steps of an access, in their order."),
            .init("use", .text, "A named statement or transaction, declared or the dataset's."),
            .init(
                "then-read",
                .sql,
                "What is read of each committed write on a reader of its own, beside the next ones."
            ),
            .init("mix", .list(.mapping(operation)), "Operations, drawn by their weights."),
            .init(
                "hold",
                .quantity(.span),
                "How long a reader or a snapshot is kept: 10s, or a share of the measured part."
            ),
            .init("every", .quantity(.span), "The period after which it happens again."),
            .init("at", .quantity(.span), "The moment at which it happens, once."),
            .init("rows", .integer(1...Int64.max), "The rows that an import inserts."),
            .init(
                "batch",
                .integer(1...Int64.max),
                "The rows of each of an import's transactions; 1000 by default."
            ),
            .init(
                "action",
                .words(["backup", "cancel", "checkpoint", "interrupt"]),
                "Something else than an access of its own."
            ),
            .init("client", .text, "Whose accesses are interrupted; everybody's by default."),
            .init("connection", .text, "The label of the connection that is interrupted."),
            .init(
                "mode",
                .words(CheckpointMode.allCases.map(\.rawValue)),
                "How far a checkpoint goes; passive by default."
            ),
            .init(
                "pages",
                .integer(1...1_000_000),
                "The pages that a backup copies in a step; 100 by default."
            ),
            .init(
                "interrupt-after",
                .quantity(.duration),
                "The time inside of an access after which it is interrupted."
            ),
            .init(
                "cancel-after",
                .quantity(.duration),
                "With style: async: the time after which an access's task is cancelled."
            ),
            .init(
                "supersede",
                .boolean,
                "Whether each access interrupts those of the same client that came before it."
            ),
            .init("retry", .mapping(retry), "What is tried again."),
            .init(
                "phases",
                .texts,
                "The phases in which it is at work, by name; all of them by default."
            ),
        ]
    )

    /// A schedule of arrivals.
    static let arrival = MappingShape(
        "arrival",
        "A schedule of arrivals.",
        [
            .init(
                "rate",
                .either([.quantity(.rate), .mapping(ramp), .list(.mapping(stage))]),
                required: true,
                "Arrivals per second: 200/s, a ramp over the measured part, or a list of stages."
            ),
            .init(
                "process",
                .words(Arrival.Process.allCases.map(\.rawValue)),
                "How arrivals are spread: poisson, the default, or even."
            ),
            .init(
                "skip-after",
                .quantity(.duration),
                "An access that is later than this when its turn comes is given up."
            ),
        ]
    )

    /// A rate that grows or falls over the measured part.
    static let ramp = MappingShape(
        "ramp",
        "A rate that grows or falls evenly over the measured part.",
        [
            .init("from", .quantity(.rate), required: true, "The rate at its begin: 100/s."),
            .init("to", .quantity(.rate), required: true, "The rate at its end: 1000/s."),
        ]
    )

    /// A part of a rate that changes.
    static let stage = MappingShape(
        "stage",
        "A part of a rate that changes; stages follow each other in the measured part.",
        alternatives: [["rate"], ["from", "to"]],
        [
            .init("for", .quantity(.span), required: true, "How long it lasts: 20%."),
            .init("rate", .quantity(.rate), "A constant rate."),
            .init("from", .quantity(.rate), "The rate at its begin."),
            .init("to", .quantity(.rate), "The rate at its end."),
        ]
    )

    /// A time of thinking that is drawn.
    static let think = MappingShape(
        "think",
        "A time of thinking that is drawn for each access.",
        alternatives: [["mean"], ["from", "to"]],
        [
            .init("mean", .quantity(.duration), "Exponentially distributed, with this mean."),
            .init("from", .quantity(.duration), "Uniformly distributed: the shortest."),
            .init("to", .quantity(.duration), "Uniformly distributed: the longest."),
        ]
    )

    /// An entry of a mix.
    static let operation = MappingShape(
        "operation",
        "An entry of a mix.",
        alternatives: [["sql"], ["use"]],
        [
            .init("name", .text, "Its name in the results; that of `use` by default."),
            .init("weight", .number, "Its share among the mix; 1 by default."),
            .init("access", .words(["read", "write"]), "Another access than its client's."),
            .init("sql", .steps, "The statements and other steps of an access, in their order."),
            .init("use", .text, "A named statement or transaction, declared or the dataset's."),
        ]
    )

    /// A step that is more than a statement.
    static let step = MappingShape(
        "step",
        "A step that fetches, repeats, chooses or names others.",
        alternatives: [["sql"], ["use"], ["do"], ["pause"]],
        [
            .init("sql", .sql, "One or more statements."),
            .init("use", .text, "A named statement or transaction, declared before."),
            .init("do", .steps, "Further steps."),
            .init(
                "pause",
                .either([.quantity(.duration), .mapping(think)]),
                "How long the access rests while it keeps its connection and transaction: 5ms, "
                    + "or drawn."
            ),
            .init(
                "into",
                .texts,
                "The variables that the first row's columns become, for later steps."
            ),
            .init("repeat", .integer(1...100_000), "How often; each time draws anew."),
            .init("if", .text, "The condition under which it is made: ':balance >= 100'."),
            .init("unless", .text, "The condition under which it is not made."),
            .init("else", .steps, "What is made otherwise."),
        ]
    )

    /// What is tried again.
    static let retry = MappingShape(
        "retry",
        "What is tried again.",
        [
            .init(
                "busy",
                .integer(0...1_000_000),
                "How often an access is tried again that found the database busy."
            )
        ]
    )
}
