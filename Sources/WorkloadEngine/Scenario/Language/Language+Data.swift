extension Language {
    /// The data of every arm.
    static let dataset = MappingShape(
        "dataset",
        "The data that each arm starts with: a preset, a custom schema, or a copy of a database.",
        alternatives: [["preset"], ["schema"], ["sql"], ["file"]],
        [
            .init(
                "preset",
                .words(Dataset.presets.map(\.presetName)),
                "Published data: pgbench's four tables, YCSB's usertable or sysbench's sbtest."
            ),
            .init(
                "scale",
                .integer(1...100_000),
                "The size: 100,000 accounts, 1,000 records, 10,000 rows, or the counts in `rows`, "
                    + "each multiplied by the scale. 1 by default."
            ),
            .init("records", .integer(1...10_000_000), "The number of records in YCSB's table."),
            .init(
                "table-size",
                .integer(1...1_000_000_000),
                "The number of rows in sysbench's table."
            ),
            .init("schema", .sql, "Statements that create the tables."),
            .init("sql", .sql, "An alias of `schema`, for SQL that also fills the tables."),
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
                "A database to copy; the original never changes. The path is relative to the "
                    + "scenario's file."
            ),
        ]
    )

    /// The rows of a table.
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

    /// The word for a column that numbers a table's rows.
    static let sequence = "sequence"

    /// A random value.
    static let variable = MappingShape(
        "variable",
        "A random value, which is constant within one access.",
        [
            .init(
                "distribution",
                .words(VariableKind.allCases.map(\.rawValue)),
                required: true,
                "The distribution of the values."
            )
        ] + drawing + [
            .init(
                "range",
                .text,
                "The dataset's variable whose range to use, such as notes_id."
            ),
            .init(
                "after",
                .text,
                "The dataset's variable whose range a sequential variable continues."
            ),
            .init(
                "of",
                .text,
                "With latest: the sequential variable whose newest inserted values are the most "
                    + "popular."
            ),
            .init(
                "table",
                .text,
                "With column: the table of the run's database to draw from."
            ),
            .init(
                "column",
                .text,
                "The column whose values at the start of the run define the range of integers, or "
                    + "the values of choice with their frequencies. A sequential variable starts "
                    + "after the largest value."
            ),
            .init(
                "length",
                .either([
                    .integer(0...1_000_000_000), .quantity(.bytes), .mapping(length),
                ]),
                "The length in characters (text), bytes (blob) or words (words): 100, 4KiB, or "
                    + "a distribution."
            ),
            .init(
                "vocabulary",
                .integer(1...10_000_000),
                "The number of different words; 1000 by default."
            ),
            .init("template", .text, "Text in which # becomes a digit and @ a lowercase letter."),
            .init("values", .list(.scalar), "The values that choice draws from."),
            .init(
                "weights",
                .list(.number),
                "The weight of each choice; 1 by default."
            ),
            .init("hashed", .boolean, "Whether to replace an integer with YCSB's hash of it."),
            .init("prefix", .text, "Text before an integer. The value is then text."),
            .init("nulls", .quantity(.share), "The share of the values that are NULL."),
        ]
    )

    /// A random length, which is an integer in a range.
    static let length = MappingShape(
        "length",
        "A random length.",
        [
            .init(
                "distribution",
                .words(VariableKind.lengths.map(\.rawValue)),
                required: true,
                "The distribution of the lengths."
            )
        ] + drawing
    )

    /// The keys of integer distributions.
    private static let drawing: [MappingShape.Key] = [
        .init("min", .integer(-Variable.largest...Variable.largest), "The smallest integer."),
        .init("max", .integer(-Variable.largest...Variable.largest), "The largest integer."),
        .init(
            "theta",
            .number,
            "The skew of zipfian and latest, above 0; 0.99 by default. With choice and column, "
                + "some values are more popular than others, by Zipf's law."
        ),
        .init("scramble", .boolean, "Whether zipfian spreads popular values over the range."),
        .init("set", .quantity(.share), "The hot share of the range; 20% by default."),
        .init(
            "draws",
            .quantity(.share),
            "The share of the draws for the hot set; 80% by default."
        ),
        .init(
            "parameter",
            .number,
            "pgbench's parameter: exponential falls to e^-parameter over its range; gaussian's "
                + "range spans this many standard deviations on each side. 5 by default."
        ),
    ]
}
