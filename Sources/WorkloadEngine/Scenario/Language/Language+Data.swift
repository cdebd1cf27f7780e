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
}
