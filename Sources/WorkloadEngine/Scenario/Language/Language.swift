/// The scenario language, declared as the shapes of all mappings in a scenario.
enum Language {
    static let scenario = MappingShape(
        "scenario",
        "A workload for Poolgauge: data, arms, phases, clients, and limits.",
        [
            .init(
                "version",
                .integer(1...1),
                required: true,
                "The version of the language: 1."
            ),
            .init("name", .text, required: true, "The scenario's name, as shown in reports."),
            .init("description", .text, "A description of the scenario in a few sentences."),
            .init(
                "seed",
                .integer(0...Int64.max),
                "The seed for random choices. Default: 42. The same seed produces the same values."
            ),
            .init("dataset", .mapping(dataset), required: true, "The initial data of each arm."),
            .init(
                "arms",
                .named(.mapping(arm)),
                required: true,
                "The ways to open the database. Choose a name for each."
            ),
            .init(
                "guard",
                .words(["captured"]),
                "captured: reject dangerous captured SQL (ATTACH outside the run's folder, "
                    + "VACUUM INTO, and loading extensions). The report contains the number of "
                    + "rejected statements."
            ),
            .init(
                "phases",
                .list(.mapping(phase)),
                required: true,
                "The phases of the run, in order. At least one must be measured."
            ),
            .init(
                "drain",
                .duration(),
                "The maximum time to wait for running accesses at the end of a run. Default: 2s."
            ),
            .init(
                "variables",
                .named(.mapping(variable)),
                "Random values that statements use as :name. Choose a name for each."
            ),
            .init(
                "statements",
                .named(.steps),
                "Statements that clients run with `use`. Choose a name for each."
            ),
            .init(
                "transactions",
                .named(.steps),
                "Lists of statements that clients run with `use`, each in one access."
            ),
            .init(
                "clients",
                .named(.mapping(client)),
                required: true,
                "The users of the database. Choose a name for each."
            ),
            .init(
                "primary",
                .texts,
                "The primary metrics of a comparison, such as ui.response.p99."
            ),
            .init(
                "thresholds",
                .byMetric(limits),
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
                "Conditions on the data: custom queries, or names. tpcb-sums: pgbench's four sums "
                    + "are equal. snapshots-stable: snapshots do not change while they are held. "
                    + "integrity-check: PRAGMA integrity_check finds no error."
            ),
        ]
    )

    static let invariant = MappingShape(
        "invariant",
        "A custom condition on the data after the run.",
        [
            .init("name", .text, required: true, "The invariant's name in results."),
            .init(
                "sql",
                .sql,
                required: true,
                "A query. The invariant holds if the query's first row contains neither 0 nor NULL."
            ),
        ]
    )

    static let busy = MappingShape(
        "busy",
        "A connection's behavior if another connection holds the required lock.",
        [
            .init(
                "timeout",
                .duration(),
                required: true,
                "How long to wait before SQLITE_BUSY, such as 5s. With 0s, the access fails "
                    + "immediately. By default, the engine and GRDB fail immediately, and raw "
                    + "waits 10s. A pool's readers always wait 10s."
            ),
            .init(
                "retry",
                .either([.words(["backoff"]), .quantity(.fixedPause)]),
                "The pauses between attempts within the timeout. backoff (the default): as in "
                    + "sqlite3_busy_timeout, 1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, then 100 ms. "
                    + "fixed 1ms: always 1 ms, as in Rails, which is fair to connections that have "
                    + "waited a long time. In contrast, a client's retry repeats the whole access."
            ),
        ]
    )

    static let phase = MappingShape(
        "phase",
        "A phase of the run.",
        [
            .init("name", .text, required: true, "The phase's name."),
            .init(
                "duration",
                .duration(.positive),
                required: true,
                "The phase's length, such as 30s."
            ),
            .init(
                "measure",
                .boolean,
                "Whether the results include the phase's accesses. Default: true."
            ),
        ]
    )

    static let driver = MappingShape(
        "driver",
        "A program that performs an arm's accesses (see docs/Drivers.md).",
        alternatives: [["name"], ["command"]],
        [
            .init(
                "name",
                .words(BuiltInDriver.all.map(\.name)),
                "A built-in driver; `poolgauge drivers` lists them."
            ),
            .init(
                "command",
                .texts,
                "A program and its arguments, as a list or separated by spaces. A path is relative "
                    + "to the scenario's file. It runs only if no one else can change the "
                    + "scenario's file, or with --allow-commands."
            ),
            .init(
                "options",
                .named(.scalar),
                "Settings of the driver, such as workers: true."
            ),
        ]
    )

    static let arm = MappingShape(
        "arm",
        "A way to open the database.",
        forms: [
            .init(key: "busy", rejected: ["busy-timeout"]),
            .init(key: "driver", rejected: ["library", "type"]),
        ],
        [
            .init(
                "library",
                .words(Arm.Library.allCases.map(\.rawValue)),
                "The library that performs the accesses: engine (Poolgauge's, the default), raw "
                    + "(bare libsqlite3, a connection for each worker), or grdb."
            ),
            .init(
                "type",
                .words(Arm.Kind.allCases.map(\.rawValue)),
                "The kind of connections: queue (one connection), pool (a writer and readers), "
                    + "memory (one connection to a copy in memory), snapshot, or snapshot-pool "
                    + "(one or several connections to one snapshot). Not needed with library: raw."
            ),
            .init(
                "driver",
                .either([.words(BuiltInDriver.all.map(\.name)), .mapping(driver)]),
                "The program that performs the accesses with the SQLite library of another language "
                    + "or of another version, instead of 'library' and 'type'."
            ),
            .init(
                "journal",
                .words(Arm.Journal.allCases.map(\.rawValue)),
                "PRAGMA journal_mode. A pool always uses wal. The default of a queue is delete."
            ),
            .init(
                "readers",
                .integer(1...1000),
                "The maximum number of readers in a pool, or of connections in a driver."
            ),
            .init(
                "synchronous",
                .words(["off", "normal", "full", "extra"]),
                "PRAGMA synchronous. Default: normal in WAL mode, full otherwise."
            ),
            .init(
                "begin",
                .words(Arm.Begin.allCases.map(\.rawValue)),
                "The kind of BEGIN for write transactions. Default: immediate. With deferred, a "
                    + "transaction acquires the write lock at its first write, and fails with "
                    + "SQLITE_BUSY if another connection has committed since its first read."
            ),
            .init(
                "busy",
                .mapping(busy),
                "A connection's behavior if another connection holds the required lock."
            ),
            .init(
                "busy-timeout",
                .duration(),
                "A short form of busy: busy-timeout: 5s is equivalent to busy: {timeout: 5s}."
            ),
            .init(
                "pragmas",
                .named(.scalar),
                "Additional pragmas for each connection, such as cache_size: -8000."
            ),
            .init(
                "setup",
                .sql,
                "Statements that run once before the load, such as one that creates an index."
            ),
            .init(
                "file",
                .text,
                "A database to copy for this arm instead of the dataset. The path is relative to "
                    + "the scenario's file."
            ),
        ]
    )
}
