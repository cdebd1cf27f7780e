import Scenarios

@testable import Capture

/// The parsers of statements that `capture` and scenarios use.
enum CaptureFuzz {
    private static let schema = CaptureSchema([
        CaptureSchema.Table(
            name: "t",
            columns: [
                CaptureSchema.Column(name: "a", type: "INTEGER", isRowID: true),
                CaptureSchema.Column(name: "b", type: "TEXT"),
            ]
        )
    ])

    static func parse(_ sql: String) {
        _ = try? StatementParser.parse(sql, schema: schema)
        _ = StatementTemplate(sql: sql)
        _ = StatementTemplate.statements(in: sql)
    }
}
