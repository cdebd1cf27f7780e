extension Language {
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
