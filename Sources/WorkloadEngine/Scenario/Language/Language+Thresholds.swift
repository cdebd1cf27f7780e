extension Language {
    /// The limits on one metric.
    static let limits = ValueShape.either([
        .text, .mapping(threshold), .list(.either([.text, .mapping(threshold)])),
    ])

    /// A limit that can end the run early.
    static let threshold = MappingShape(
        "threshold",
        "A limit on a metric that can end the run early.",
        [
            .init("limit", .text, required: true, "The limit, such as p(99) < 50ms."),
            .init(
                "abort",
                .boolean,
                "Whether a miss ends the run early; false by default. Checked once per second, "
                    + "as soon as there are enough samples."
            ),
            .init(
                "abort-after",
                .quantity(.duration),
                "With abort: true, the measured time before the first check; 0s by default."
            ),
        ]
    )
}
