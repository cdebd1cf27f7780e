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
            .init("workers", .integer(1...1000), "How many do it at the same time; 1 by default."),
            .init(
                "think",
                .quantity(.duration),
                "Closed loop: how long a worker rests between two accesses."
            ),
            .init(
                "arrival",
                .mapping(arrival),
                "Open loop: accesses arrive on a schedule, whether or not a worker is free."
            ),
            .init("sql", .sql, "The statements of an access, in their order."),
            .init("use", .text, "A named statement or transaction, declared or the dataset's."),
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
            .init("action", .words(["interrupt"]), "Something else than an access."),
            .init("retry", .mapping(retry), "What is tried again."),
        ]
    )

    /// A schedule of arrivals.
    static let arrival = MappingShape(
        "arrival",
        "A schedule of arrivals.",
        [
            .init("rate", .quantity(.rate), required: true, "Arrivals per second: 200/s."),
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

    /// An entry of a mix.
    static let operation = MappingShape(
        "operation",
        "An entry of a mix.",
        alternatives: [["sql"], ["use"]],
        [
            .init("name", .text, "Its name in the results; that of `use` by default."),
            .init("weight", .number, "Its share among the mix; 1 by default."),
            .init("sql", .sql, "The statements of an access, in their order."),
            .init("use", .text, "A named statement or transaction, declared or the dataset's."),
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
