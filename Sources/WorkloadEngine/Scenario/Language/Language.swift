/// The scenario language: every mapping that a scenario is made of.
enum Language {
    /// The whole file.
    static let scenario = MappingShape(
        "scenario",
        "A workload for Poolgauge: data, arms that open them, phases, clients and limits.",
        [
            .init(
                "version",
                .integer(1...1),
                required: true,
                "The version of the language: 1."
            ),
            .init("name", .text, required: true, "The scenario's name, in reports and lists."),
            .init("description", .text, "What the scenario shows, in a few sentences."),
            .init(
                "seed",
                .integer(0...Int64.max),
                "The seed of all randomness, 42 by default: equal seeds draw equal values."
            ),
            .init("dataset", .mapping(dataset), required: true, "The data that each arm has."),
            .init(
                "arms",
                .named(.mapping(arm)),
                required: true,
                "The ways to open the database that are compared, by names of your own."
            ),
            .init(
                "guard",
                .words(["captured"]),
                "captured: refuse what captured SQL must not do: ATTACH outside the run's folder, "
                    + "VACUUM INTO and the loading of extensions. The report counts the refusals."
            ),
            .init(
                "phases",
                .list(.mapping(phase)),
                required: true,
                "The stretches of the run, one after another; one at least is measured."
            ),
            .init(
                "drain",
                .quantity(.duration),
                "How long accesses that run at the end are awaited, 2s by default."
            ),
            .init(
                "variables",
                .named(.mapping(variable)),
                "Random values that statements use as :name, by names of your own."
            ),
            .init(
                "statements",
                .named(.steps),
                "Statements that clients name by `use`, by names of your own."
            ),
            .init(
                "transactions",
                .named(.steps),
                "Lists of statements that clients name by `use`, each run in one access."
            ),
            .init(
                "clients",
                .named(.mapping(client)),
                required: true,
                "Who uses the database, by names of your own."
            ),
            .init(
                "primary",
                .texts,
                "The metrics that a comparison decides on, such as ui.response.p99."
            ),
            .init(
                "thresholds",
                .byMetric(.texts),
                "Limits by metric, such as ui.response: [\"p(99) < 50ms\"]."
            ),
            .init(
                "invariants",
                .either([
                    .words(Invariant.allCases.map(\.rawValue)),
                    .list(
                        .either([
                            .words(Invariant.allCases.map(\.rawValue)), .mapping(invariant),
                        ])
                    ),
                ]),
                "What must hold: a query of your own, or a name. tpcb-sums: pgbench's four sums are "
                    + "equal. snapshots-stable: snapshots do not change while they are held. "
                    + "integrity-check: PRAGMA integrity_check finds nothing. isolation: "
                    + "transactions that run beside the load, in a table of their own and for at "
                    + "most 5 % of the time, are strictly serializable."
            ),
        ]
    )

    /// Something that must hold for the data.
    static let invariant = MappingShape(
        "invariant",
        "Something of your own that must hold for the data after the run.",
        [
            .init("name", .text, required: true, "Its name in the results."),
            .init(
                "sql",
                .sql,
                required: true,
                "A query; it holds when no value of its first row is 0 or NULL."
            ),
        ]
    )

    /// What a connection does about another one's lock.
    static let busy = MappingShape(
        "busy",
        "What a connection does when another one holds the lock that it needs.",
        [
            .init(
                "timeout",
                .quantity(.duration),
                required: true,
                "How long it waits before SQLITE_BUSY: 5s; 0s fails at once. By default, the "
                    + "engine and GRDB fail at once, and raw waits 10s. The readers of a pool wait "
                    + "10s in any case."
            )
        ]
    )

    /// A stretch of the run.
    static let phase = MappingShape(
        "phase",
        "A stretch of the run.",
        [
            .init("name", .text, required: true, "The phase's name."),
            .init("duration", .quantity(.duration), required: true, "How long it lasts: 30s."),
            .init("measure", .boolean, "Whether its accesses count; true by default."),
        ]
    )

    /// A way to open the database.
    static let arm = MappingShape(
        "arm",
        "A way to open the database.",
        [
            .init(
                "library",
                .words(Arm.Library.allCases.map(\.rawValue)),
                "Whose code makes the accesses: engine (Poolgauge's own, the default), raw "
                    + "(libsqlite3 alone, a connection for each worker) or grdb."
            ),
            .init(
                "type",
                .words(Arm.Kind.allCases.map(\.rawValue)),
                "What serves the accesses: queue (one connection), pool (a writer and readers) or "
                    + "memory (one connection to a copy in memory), snapshot or snapshot-pool (one or "
                    + "several connections that read one state). Not needed with library: raw."
            ),
            .init(
                "journal",
                .words(Arm.Journal.allCases.map(\.rawValue)),
                "PRAGMA journal_mode. A pool's is always wal; a queue's is delete by default."
            ),
            .init("readers", .integer(1...1000), "The most readers of a pool."),
            .init(
                "synchronous",
                .words(["off", "normal", "full", "extra"]),
                "PRAGMA synchronous: full by default, normal with a WAL."
            ),
            .init(
                "begin",
                .words(Arm.Begin.allCases.map(\.rawValue)),
                "How a transaction that writes begins; immediate by default. A deferred one locks "
                    + "the database for writing at its first write, and fails with SQLITE_BUSY "
                    + "there if another connection has committed since its first read."
            ),
            .init(
                "busy",
                .mapping(busy),
                "What a connection does when another one holds the lock that it needs."
            ),
            .init(
                "busy-timeout",
                .quantity(.duration),
                "Another name of busy: {timeout: 5s}."
            ),
            .init(
                "pragmas",
                .named(.scalar),
                "Further pragmas, run on each connection, such as cache_size: -8000."
            ),
            .init(
                "setup",
                .sql,
                "Statements run once before the load, so that an index can be an arm."
            ),
            .init(
                "file",
                .text,
                "A database that this arm has instead of the dataset; it is copied. The path is "
                    + "relative to the scenario's file."
            ),
        ]
    )
}
