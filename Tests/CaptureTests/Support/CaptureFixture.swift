import Scenarios

@testable import Capture

/// A schema and executions for tests.
enum CaptureFixture {
    typealias Column = CaptureSchema.Column

    static let schema = CaptureSchema([
        .init(
            name: "users",
            columns: [
                Column(
                    name: "id",
                    type: "INTEGER",
                    isRowID: true,
                    isUnique: true,
                    range: 1...1000
                ),
                Column(name: "mail", type: "TEXT", isUnique: true),
                Column(name: "age", type: "INT", range: 0...120),
            ]
        ),
        .init(
            name: "orders",
            columns: [
                Column(
                    name: "id",
                    type: "INTEGER",
                    isRowID: true,
                    isUnique: true,
                    range: 1...5000
                ),
                Column(name: "user", type: "INT", range: 1...1000),
                Column(name: "state", type: "TEXT"),
            ]
        ),
        .init(
            name: "odd \"table\"",
            columns: [Column(name: "a'b", type: "TEXT"), Column(name: "key", type: "TEXT")]
        ),
    ])

    /// Parses a statement.
    static func parse(_ sql: String) throws -> NormalizedStatement {
        try StatementParser.parse(sql, schema: schema)
    }

    /// Returns executions on one connection, with a pause between them.
    ///
    /// Each execution takes a millisecond.
    static func executions(
        _ statements: [String],
        from start: Double = 0,
        pause: Double = 0.001,
        connection: String = "1"
    ) -> [CapturedExecution] {
        statements.enumerated().map { index, sql in
            CapturedExecution(
                end: start + Double(index) * (0.001 + pause) + 0.001,
                connection: connection,
                sql: sql,
                seconds: 0.001
            )
        }
    }

    /// Creates a scenario from executions.
    static func scenario(
        _ executions: [CapturedExecution],
        file: String? = "log.jsonl",
        competition: ProcessorCompetition = ProcessorCompetition(),
        programs: CapturedPrograms = CapturedPrograms(),
        adjustment: FidelityAdjustment = FidelityAdjustment(),
        _ change: (inout CaptureOptions) -> Void = { _ in }
    ) throws -> CapturedScenario {
        var options = CaptureOptions(database: "/tmp/app.sqlite")
        change(&options)
        let sorted = executions.sorted { $0.end < $1.end }
        let analysis = try CaptureAnalysis(
            sorted,
            schema: schema,
            file: file,
            competition: competition,
            programs: programs
        )
        return try CapturedScenario(
            analysis,
            schema: schema,
            options: options,
            adjustment: adjustment
        )
    }

    /// Creates a scenario from executions, and parses it.
    static func parsed(
        _ executions: [CapturedExecution],
        competition: ProcessorCompetition = ProcessorCompetition(),
        programs: CapturedPrograms = CapturedPrograms(),
        adjustment: FidelityAdjustment = FidelityAdjustment(),
        _ change: (inout CaptureOptions) -> Void = { _ in }
    ) throws -> (Scenario, CapturedScenario) {
        let captured = try scenario(
            executions,
            competition: competition,
            programs: programs,
            adjustment: adjustment
        ) {
            // The decoder only checks that the file exists.
            $0.database = "/proc/self/exe"
            change(&$0)
        }
        return (try Scenario.parse(yaml: captured.yaml, file: "captured.yaml"), captured)
    }
}
