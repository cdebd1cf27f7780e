extension Language {
    static let client = MappingShape(
        "client",
        "A user of the database: a kind of access, a number of workers, and a pace.",
        alternatives: [["access"], ["action"]],
        forms: [
            action("interrupt", with: ["client", "connection"]),
            action("cancel", with: ["client"]),
            action("checkpoint", with: ["mode", "think", "workers"]),
            action("backup", with: ["pages", "think", "workers"]),
            .init(key: "access", rejected: ["client", "connection", "mode", "pages"]),
            .init(
                key: "access",
                value: "snapshot",
                rejected: ["use", "mix", "rows", "batch", "arrival", "retry"]
            ),
            .init(key: "rows", rejected: ["mix", "hold"]),
            .init(key: "hold", rejected: ["use", "mix"]),
            .init(key: "workers-of", rejected: ["workers"]),
            .init(key: "then-read", rejected: ["interrupt-after", "cancel-after", "supersede"]),
        ],
        [
            .init(
                "access",
                .words(["read", "write", "snapshot"]),
                "The kind of access."
            ),
            .init(
                "style",
                .words(Client.Style.allCases.map(\.rawValue)),
                "The kind of workers: sync (threads, the default), async (tasks that await), "
                    + "or process (separate processes that open the same file)."
            ),
            .init("workers", .integer(1...1000), "The number of concurrent workers. Default: 1."),
            .init(
                "workers-of",
                .text,
                "Another client, whose workers also perform this client's accesses: the two take turns, "
                    + "as a program does that reads and writes on one connection."
            ),
            .init(
                "think",
                .either([.duration(), .mapping(think)]),
                "Closed loop: a worker's pause between two accesses, such as 5ms, or a random time."
            ),
            .init(
                "arrival",
                .mapping(arrival),
                "Open loop: accesses arrive on a schedule, whether or not a worker is free."
            ),
            .init("sql", .steps, "The statements and other steps of an access, in order."),
            .init("use", .text, "The name of a statement or transaction to run."),
            .init(
                "then-read",
                .sql,
                "Reads that follow each committed write. They use a reader and run concurrently "
                    + "with later writes."
            ),
            .init("mix", .list(.mapping(operation)), "Operations, chosen at random by weight."),
            .init(
                "hold",
                .span(.positive),
                "The time to hold a reader or a snapshot, such as 10s, or a share of the measured part."
            ),
            .init("every", .span(.positive), "The period between two accesses or actions."),
            .init("at", .span(), "The time of a single access or action."),
            .init("rows", .integer(1...Int64.max), "The number of rows that an import inserts."),
            .init(
                "batch",
                .integer(1...Int64.max),
                "The number of rows in each transaction of an import. Default: 1000."
            ),
            .init(
                "action",
                .words(["backup", "cancel", "checkpoint", "interrupt"]),
                "An action that the client performs instead of accesses."
            ),
            .init("client", .text, "The client to interrupt. Default: all clients."),
            .init("connection", .text, "The label of the connection to interrupt."),
            .init(
                "mode",
                .words(CheckpointMode.allCases.map(\.rawValue)),
                "The mode of a checkpoint. Default: passive."
            ),
            .init(
                "pages",
                .integer(1...1_000_000),
                "The number of pages that a backup copies in each step. Default: 100."
            ),
            .init(
                "interrupt-after",
                .duration(.positive),
                "The time after which an access that has acquired its connection is interrupted."
            ),
            .init(
                "cancel-after",
                .duration(.positive),
                "The time after which the task of an access is canceled. Requires style: async."
            ),
            .init(
                "supersede",
                .boolean,
                "Whether each access interrupts the client's earlier accesses. Default: false."
            ),
            .init("retry", .mapping(retry), "How to retry failed accesses."),
            .init(
                "phases",
                .texts,
                "The names of the phases in which the client is active. Default: all phases."
            ),
        ]
    )

    private static func action(_ word: String, with keys: [String]) -> MappingShape.Form {
        .init(key: "action", value: word, accepted: ["every", "at", "phases"] + keys)
    }

    static let arrival = MappingShape(
        "arrival",
        "A schedule of arrivals.",
        [
            .init(
                "rate",
                .either([.quantity(.rate), .mapping(ramp), .list(.mapping(stage))]),
                required: true,
                "Arrivals per second: a rate such as 200/s, a ramp over the measured part, or a list of stages."
            ),
            .init(
                "process",
                .words(Arrival.Process.allCases.map(\.rawValue)),
                "The distribution of arrivals over time: poisson (the default) or even."
            ),
            .init(
                "skip-after",
                .duration(.positive),
                "The maximum delay of an access. Accesses with a longer delay are skipped."
            ),
        ]
    )

    static let ramp = MappingShape(
        "ramp",
        "A rate that changes linearly over the measured part.",
        [
            .init("from", .quantity(.rate), required: true, "The starting rate, such as 100/s."),
            .init("to", .quantity(.rate), required: true, "The final rate, such as 1000/s."),
        ]
    )

    static let stage = MappingShape(
        "stage",
        "A stage of a changing rate. Stages run in order in the measured part.",
        alternatives: [["rate"], ["from", "to"]],
        [
            .init(
                "for",
                .span(),
                required: true,
                "The stage's length, such as 20% of the measured part."
            ),
            .init("rate", .quantity(.rate), "A constant rate."),
            .init("from", .quantity(.rate), "The starting rate."),
            .init("to", .quantity(.rate), "The final rate."),
        ]
    )

    static let think = MappingShape(
        "think",
        "A random time, drawn for each access.",
        alternatives: [["mean"], ["from", "to"]],
        [
            .init("mean", .duration(), "The mean of an exponential distribution."),
            .init("from", .duration(), "The shortest time of a uniform distribution."),
            .init("to", .duration(), "The longest time of a uniform distribution."),
        ]
    )

    static let operation = MappingShape(
        "operation",
        "An entry in a mix.",
        alternatives: [["sql"], ["use"]],
        [
            .init("name", .text, "The name in results. Default: the name in `use`."),
            .init("weight", .number, "The weight within the mix. Default: 1."),
            .init(
                "access",
                .words(["read", "write"]),
                "The kind of access. Default: the client's kind of access."
            ),
            .init("sql", .steps, "The statements and other steps of an access, in order."),
            .init("use", .text, "The name of a statement or transaction to run."),
        ]
    )

    static let step = MappingShape(
        "step",
        "A step that fetches values, repeats or skips steps, pauses, or refers to other steps.",
        alternatives: [["sql"], ["use"], ["do"], ["pause"]],
        [
            .init("sql", .sql, "One or more statements."),
            .init("use", .text, "The name of a statement or transaction declared earlier."),
            .init("do", .steps, "Nested steps."),
            .init(
                "pause",
                .either([.duration(), .mapping(think)]),
                "A pause that holds the connection and transaction, such as 5ms, or a random time."
            ),
            .init(
                "into",
                .texts,
                "The variables that receive the first row's columns, for later steps."
            ),
            .init(
                "repeat",
                .integer(1...100_000),
                "The number of repetitions, each with new values."
            ),
            .init("if", .text, "The condition for the step, such as ':balance >= 100'."),
            .init("unless", .text, "The condition for skipping the step."),
            .init("else", .steps, "The steps to run if the step is skipped."),
        ]
    )

    static let retry = MappingShape(
        "retry",
        "How to retry failed accesses.",
        [
            .init(
                "busy",
                .integer(0...1_000_000),
                "The maximum number of retries of an access if the database is busy."
            )
        ]
    )
}
