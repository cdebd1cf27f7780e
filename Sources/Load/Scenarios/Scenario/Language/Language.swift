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

extension Language {
    static let dataset = MappingShape(
        "dataset",
        "The data that each arm starts with: a preset, a custom schema, or a copy of a database.",
        alternatives: [["preset"], ["schema"], ["sql"], ["file"]],
        forms: [
            .init(key: "preset", accepted: ["scale", "records", "table-size"]),
            .init(key: "schema", accepted: ["rows", "finally", "scale"]),
            .init(key: "sql", accepted: ["rows", "finally", "scale"]),
            .init(key: "file", accepted: []),
        ],
        [
            .init(
                "preset",
                .words(Dataset.presets.map(\.presetName)),
                "The data of a standard benchmark: pgbench's four tables, YCSB's usertable, or sysbench's sbtest."
            ),
            .init(
                "scale",
                .integer(1...100_000),
                "A factor for the amount of data. Default: 1, with 100,000 accounts (pgbench), "
                    + "1,000 records (YCSB), 10,000 rows (sysbench), or the counts in `rows`."
            ),
            .init("records", .integer(1...10_000_000), "The number of records in YCSB's table."),
            .init(
                "table-size",
                .integer(1...1_000_000_000),
                "The number of rows in sysbench's table."
            ),
            .init("schema", .sql, "Statements that create the tables."),
            .init("sql", .sql, "An alias for `schema`, for SQL that also fills the tables."),
            .init(
                "rows",
                .named(.mapping(table)),
                "The rows to insert, by table name, in the given order."
            ),
            .init(
                "finally",
                .sql,
                "Statements that run after the tables are filled, such as CREATE INDEX."
            ),
            .init(
                "file",
                .text,
                "A database to copy. The original never changes. The path is relative to the "
                    + "scenario's file."
            ),
        ]
    )

    static let table = MappingShape(
        "table",
        "The rows of a table.",
        [
            .init(
                "count",
                .integer(1...1_000_000_000),
                required: true,
                "The number of rows per unit of `scale`."
            ),
            .init(
                "columns",
                .named(.either([.words([sequence]), .mapping(variable)])),
                "The columns to fill, by name: sequence (1, 2, 3 …), or a distribution. "
                    + "Statements can use a numbered column's range as :table_column."
            ),
        ]
    )

    /// The value for a column that numbers the rows of a table.
    static let sequence = "sequence"

    static let variable = MappingShape(
        "variable",
        "A random value, which is constant within one access.",
        forms: forms(of: VariableKind.allCases) + [
            .init(key: "column", rejected: ["min", "max", "range", "after", "values", "weights"])
        ],
        [
            .init(
                "distribution",
                .words(VariableKind.allCases.map(\.rawValue)),
                required: true,
                "The distribution of the values."
            )
        ] + distributionKeys + [
            .init(
                "range",
                .text,
                "A variable of the dataset, such as notes_id, whose range this variable uses."
            ),
            .init(
                "after",
                .text,
                "A variable of the dataset whose range this sequential variable continues."
            ),
            .init(
                "of",
                .text,
                "For latest: the sequential variable whose newest inserted values are the most "
                    + "popular."
            ),
            .init(
                "table",
                .text,
                "For column: the table in the run's database."
            ),
            .init(
                "column",
                .text,
                "The column whose values at the start of the run define the range of integers, or "
                    + "the values of choice with their frequencies. A sequential variable starts "
                    + "after the largest value."
            ),
            .init(
                "distinct",
                .boolean,
                "For choice with column: whether all values, or combinations with the values of "
                    + "same-row, are equally likely, however many rows contain them. In tables with "
                    + "more than 500,000 rows, they are those of random rows. Default: false."
            ),
            .init(
                "same-row",
                .text,
                "For choice with column: another such variable of the same table. Both values of an "
                    + "access come from one row."
            ),
            .init(
                "length",
                .either([
                    .integer(0...1_000_000_000), .quantity(.bytes), .mapping(length),
                ]),
                "The length in characters (text), bytes (blob), or words (words), such as 100 or "
                    + "4KiB, or a distribution."
            ),
            .init(
                "vocabulary",
                .integer(1...10_000_000),
                "The number of different words. Default: 1000."
            ),
            .init("template", .text, "Text in which # stands for a digit and @ for a letter a-z."),
            .init("values", .list(.scalar), "The values that choice draws from."),
            .init(
                "weights",
                .list(.number),
                "The weight of each value. Default: 1."
            ),
            .init("hashed", .boolean, "Whether to replace each integer with its YCSB hash."),
            .init("prefix", .text, "Text to put before an integer. The value becomes text."),
            .init("nulls", .quantity(.share), "The share of the values that are NULL."),
        ]
    )

    static let length = MappingShape(
        "length",
        "A random length.",
        forms: forms(of: VariableKind.lengths),
        [
            .init(
                "distribution",
                .words(VariableKind.lengths.map(\.rawValue)),
                required: true,
                "The distribution of the lengths."
            )
        ] + distributionKeys
    )

    private static func forms(of kinds: [VariableKind]) -> [MappingShape.Form] {
        kinds.map { kind in
            let word = kind.rawValue
            return .init(key: "distribution", value: word, title: word, accepted: kind.keys)
        }
    }

    private static let distributionKeys: [MappingShape.Key] = [
        .init("min", .integer(-Variable.largest...Variable.largest), "The smallest integer."),
        .init("max", .integer(-Variable.largest...Variable.largest), "The largest integer."),
        .init(
            "theta",
            .number,
            "The skew of zipfian and, in variables, of latest and of choice with `column`, which "
                + "draws its values by Zipf's law. Default: 0.99."
        ),
        .init("scramble", .boolean, "Whether zipfian spreads popular values over the range."),
        .init("set", .quantity(.share), "The hot share of the range. Default: 20%."),
        .init(
            "draws",
            .quantity(.share),
            "The share of draws that come from the hot set. Default: 80%."
        ),
        .init(
            "parameter",
            .number,
            "pgbench's parameter. The density of exponential falls to e^-parameter. gaussian's "
                + "range spans this many standard deviations on each side. Default: 5."
        ),
    ]

    static let limits = ValueShape.either([
        .text, .mapping(threshold), .list(.either([.text, .mapping(threshold)])),
    ])

    static let threshold = MappingShape(
        "threshold",
        "A limit on a metric. The run can end early if the limit is not met.",
        [
            .init("limit", .text, required: true, "The limit, such as p(99) < 50ms."),
            .init(
                "abort",
                .boolean,
                "Whether the run ends early if the limit is not met. Default: false. The limit is "
                    + "checked once per second if there are enough samples."
            ),
            .init(
                "abort-after",
                .duration(),
                "With abort: true, the measured time before the first check. Default: 0s."
            ),
        ]
    )
}
