extension Language {
    /// The data of every arm.
    static let dataset = MappingShape(
        "dataset",
        "The data that each arm begins with: a preset, a schema of your own, or a database's copy.",
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
                "The size: 100,000 accounts, 1,000 records, 10,000 rows, or the counts of `rows`, "
                    + "each times the scale. 1 by default."
            ),
            .init("records", .integer(1...10_000_000), "The number of records of YCSB's table."),
            .init(
                "table-size",
                .integer(1...1_000_000_000),
                "The number of rows of sysbench's table."
            ),
            .init("schema", .sql, "Statements that create the tables."),
            .init("sql", .sql, "Another name of `schema`, for SQL that fills the tables too."),
            .init(
                "rows",
                .named(.mapping(table)),
                "The rows of each table that is filled, by the table's name, in this order."
            ),
            .init(
                "finally",
                .sql,
                "Statements run when the tables are full, such as those that create indexes."
            ),
            .init(
                "file",
                .text,
                "A database that is copied and never changed. The path is relative to the "
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
                "How many rows, for each unit of `scale`."
            ),
            .init(
                "columns",
                .named(.either([.words([sequence]), .mapping(variable)])),
                "The columns that get values, by name: sequence (1, 2, 3 …), or a distribution. "
                    + "Statements can use a numbered column's range as :table_column."
            ),
        ]
    )

    /// What numbers a table's rows.
    static let sequence = "sequence"

    /// A random value.
    static let variable = MappingShape(
        "variable",
        "A random value; inside one access it has one value, however often it appears.",
        [
            .init(
                "distribution",
                .words(VariableKind.allCases.map(\.rawValue)),
                required: true,
                "How the values are spread."
            )
        ] + drawing + [
            .init(
                "range",
                .text,
                "The dataset's variable whose range this one takes, such as notes_id."
            ),
            .init(
                "after",
                .text,
                "The dataset's variable after whose range a sequential one begins."
            ),
            .init(
                "of",
                .text,
                "The sequential variable whose newest value, once inserted, latest follows."
            ),
            .init(
                "table",
                .text,
                "With column: the table of the run's own database to draw from."
            ),
            .init(
                "column",
                .text,
                "The column whose values, when the run starts, are the range of integers, or those "
                    + "that choice draws from, each as often as the rows have it. A sequential "
                    + "one starts after the largest."
            ),
            .init(
                "length",
                .either([
                    .integer(0...1_000_000_000), .quantity(.bytes), .mapping(length),
                ]),
                "How long: characters of a text, bytes of a blob, words of words; 100, 4KiB, or "
                    + "a distribution."
            ),
            .init(
                "vocabulary",
                .integer(1...10_000_000),
                "How many different words there are; 1000 by default."
            ),
            .init("template", .text, "A text in which # is a digit and @ a small letter."),
            .init("values", .list(.scalar), "The values that choice draws from."),
            .init(
                "weights",
                .list(.number),
                "The weight of each of choice's values; 1 by default."
            ),
            .init("hashed", .boolean, "Whether YCSB's hash of an integer takes its place."),
            .init("prefix", .text, "What is written before an integer, which makes it a text."),
            .init("nulls", .quantity(.share), "The share of the values that are NULL."),
        ]
    )

    /// The length of a text: integers of a range.
    static let length = MappingShape(
        "length",
        "A length that is drawn.",
        [
            .init(
                "distribution",
                .words(VariableKind.lengths.map(\.rawValue)),
                required: true,
                "How the lengths are spread."
            )
        ] + drawing
    )

    /// How integers of a range are drawn.
    private static let drawing: [MappingShape.Key] = [
        .init("min", .integer(-Variable.largest...Variable.largest), "The smallest integer."),
        .init("max", .integer(-Variable.largest...Variable.largest), "The largest integer."),
        .init(
            "theta",
            .number,
            "How skewed zipfian and latest are, above 0; 0.99 by default. With choice and column, "
                + "some values become more popular than others, by Zipf's law."
        ),
        .init("scramble", .boolean, "Whether zipfian spreads the popular ones over the range."),
        .init("set", .quantity(.share), "The share of the range that is hot; 20% by default."),
        .init(
            "draws",
            .quantity(.share),
            "The share of the draws that the hot set gets; 80% by default."
        ),
        .init(
            "parameter",
            .number,
            "pgbench's parameter: exponential falls to e^-parameter over its range, gaussian's "
                + "range spans so many standard deviations to each side. 5 by default."
        ),
    ]
}
