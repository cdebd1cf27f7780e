import Scenarios
import Testing

@testable import Capture

/// Tests scenarios that are generated from statements.
struct ScenarioDraftTests {
    private func draft(
        words: [String: [String]] = [:],
        _ change: (inout DraftOptions) -> Void = { _ in }
    ) -> ScenarioDraft {
        var options = DraftOptions(name: "try", description: "d", database: "/tmp/app.sqlite")
        change(&options)
        return ScenarioDraft(
            options,
            schema: CaptureFixture.schema,
            words: FullTextWords(words.mapValues { $0.map { FullTextWords.Word($0) } })
        )
    }

    private func distribution(
        of name: String,
        in draft: ScenarioDraft
    ) -> Variable.Distribution? {
        draft.variables.entries.first { $0.name == name }?.variable.distribution
    }

    /// Returns whether a draft's variable equals the variable with the given YAML.
    private func isVariable(_ name: String, in draft: ScenarioDraft, _ yaml: String) throws -> Bool
    {
        let entry = draft.variables.entries.first { $0.name == name }
        return try entry?.variable == Variable.parse(yaml, named: name)
    }

    @Test func aParameterDrawsValuesFromItsComparedColumn() throws {
        var draft = draft()
        try draft.addRead("SELECT * FROM orders WHERE state = :state AND id = ?")
        #expect(
            draft.reads.first?.statements == [
                "SELECT * FROM orders WHERE state = :state AND id = :orders_id"
            ]
        )
        #expect(
            try isVariable("state", in: draft, "distribution: choice, table: orders, column: state")
        )
        #expect(
            try isVariable(
                "orders_id",
                in: draft,
                "distribution: choice, table: orders, column: id, same-row: state"
            )
        )
    }

    @Test func literalsAreKept() throws {
        var draft = draft()
        let sql = "SELECT * FROM orders WHERE state = 'sent' AND user > 12 LIMIT 3"
        try draft.addRead(sql)
        #expect(draft.reads.first?.statements == [sql])
        #expect(draft.variables.entries.isEmpty)
    }

    @Test func oneNameForTwoColumnsBecomesTwoVariables() throws {
        var draft = draft()
        try draft.addRead("SELECT * FROM users WHERE id = :id")
        try draft.addWrite("UPDATE orders SET state = :state WHERE id = :id")
        #expect(draft.writes.first?.statements.first?.hasSuffix("WHERE id = :id_2") == true)
        #expect(
            try isVariable("id_2", in: draft, "distribution: uniform, table: orders, column: id")
        )
    }

    @Test func aParameterHasOneValueWithinAnAccess() throws {
        var draft = draft()
        try draft.addWrite(
            "SELECT state FROM orders WHERE id = :id; UPDATE orders SET state = 'x' WHERE id = :id"
        )
        #expect(draft.writes.first?.statements.count == 2)
        #expect(draft.variables.entries.map(\.name) == ["id"])
    }

    @Test(arguments: [
        ("id BETWEEN :a AND :b", "id BETWEEN :a AND (:a + :b)"),
        ("id BETWEEN ? AND ?", "id BETWEEN :users_id AND (:users_id + :users_id_width)"),
        ("mail BETWEEN :a AND :b", "mail BETWEEN min(:a, :b) AND max(:a, :b)"),
        ("id >= :a AND id < :b", "id >= :a AND id < (:a + :b)"),
        ("mail > :a AND mail <= :b", "mail > min(:a, :b) AND mail <= max(:a, :b)"),
        ("id BETWEEN 3 AND :b", "id BETWEEN 3 AND :b"),
        ("id BETWEEN :a AND 9", "id BETWEEN :a AND 9"),
        ("id BETWEEN :a AND :a", "id BETWEEN :a AND :a"),
        ("id = :b AND id BETWEEN :a AND :b", "id = :b AND id BETWEEN :a AND :b"),
    ])
    func aRangeContainsItsStart(condition: String, expected: String) throws {
        var draft = draft()
        try draft.addRead("SELECT * FROM users WHERE \(condition)")
        #expect(
            draft.reads.first?.statements == ["SELECT * FROM users WHERE \(expected)"]
        )
    }

    @Test func theWidthOfARangeIsSmall() throws {
        var sparse = CaptureFixture.Column(name: "at", type: "INTEGER", range: 0...999_999)
        sparse.distinctCount = 10_000
        let schema = CaptureSchema([.init(name: "t", columns: [sparse])])
        var draft = ScenarioDraft(
            DraftOptions(name: "n", description: "d", database: "x"),
            schema: schema
        )
        try draft.addRead("SELECT * FROM t WHERE at BETWEEN :start AND :end")
        // The range covers 100 of the 10,000 values.
        #expect(try isVariable("end", in: draft, "distribution: uniform, min: 0, max: 9999"))
        var draftWithValues = self.draft {
            $0.values["b"] = Variable(distribution: .uniform, minimum: 1, maximum: 9)
        }
        try draftWithValues.addRead("SELECT * FROM users WHERE id BETWEEN :a AND :b")
        #expect(
            draftWithValues.reads.first?.statements
                == ["SELECT * FROM users WHERE id BETWEEN :a AND :b"]
        )
    }

    @Test func newRowsGetNewKeys() throws {
        var draft = draft()
        try draft.addWrite("INSERT INTO users (id, mail, age) VALUES (:id, :mail, :age)")
        #expect(distribution(of: "id", in: draft) == .sequential)
        #expect(try isVariable("mail", in: draft, "distribution: sequential, prefix: new-"))
        #expect(try isVariable("age", in: draft, "distribution: choice, table: users, column: age"))
    }

    @Test func aKeyWithGapsIsDrawnFromExistingRows() throws {
        var column = CaptureFixture.Column(
            name: "id",
            type: "INTEGER",
            isRowID: true,
            isUnique: true,
            range: 1...1_000_000
        )
        column.distinctCount = 1000
        let schema = CaptureSchema([.init(name: "t", columns: [column])])
        var draft = ScenarioDraft(
            DraftOptions(name: "n", description: "d", database: "x"),
            schema: schema
        )
        try draft.addRead("SELECT * FROM t WHERE id = :id")
        #expect(distribution(of: "id", in: draft) == .choice([], weights: []))
    }

    @Test(arguments: [
        "SELECT rowid FROM search WHERE search MATCH :q LIMIT 5",
        "SELECT rowid FROM search WHERE search.text MATCH :q",
        "SELECT rowid FROM search WHERE search = :q", "SELECT rowid FROM search(:q)",
        "SELECT * FROM mail WHERE id IN (SELECT rowid FROM search WHERE search MATCH :q)",
    ])
    func aMatchParameterDrawsWordsFromTheIndex(sql: String) throws {
        let schema = CaptureSchema([
            .init(name: "search", columns: [.init(name: "text")]),
            .init(name: "mail", columns: [.init(name: "id")]),
        ])
        var draft = ScenarioDraft(
            DraftOptions(name: "n", description: "d", database: "x"),
            schema: schema,
            words: FullTextWords(["search": [.init("red"), .init("blue")]])
        )
        try draft.addRead(sql)
        #expect(try isVariable("q", in: draft, "distribution: choice, values: ['red', 'blue']"))
    }

    @Test func aParameterWithoutAColumnNeedsValues() throws {
        var draftWithoutValues = draft()
        let error = #expect(throws: DraftError.self) {
            try draftWithoutValues.addRead("SELECT * FROM users WHERE length(mail) * 2 = abs(:n)")
        }
        #expect(error?.description.contains("--values 'n=distribution:") == true)
        var draftWithValues = draft {
            $0.values["n"] = Variable(distribution: .uniform, minimum: 1, maximum: 9)
        }
        try draftWithValues.addRead("SELECT * FROM users WHERE length(mail) * 2 = abs(:n)")
        #expect(try isVariable("n", in: draftWithValues, "distribution: uniform, min: 1, max: 9"))
    }

    @Test(arguments: [
        ("UPDATE users SET age = 1", "writes (UPDATE); use --write"),
        (
            "SELECT 1; COMMIT",
            "'COMMIT': omit BEGIN and COMMIT; each access is already one transaction"
        ),
        (
            "SELECT * FROM nothing",
            "'SELECT * FROM nothing': the database has no table 'nothing'; its tables are: "
        ),
        ("SELECT * FROM user", "no table 'user'; did you mean 'users'?"),
        ("SELEC 1", "'SELEC' is not valid SQL"),
        ("PRAGMA cache_size", "a PRAGMA"),
        ("", "contains no statement"),
    ])
    func aReadThatCannotRunIsRefused(sql: String, message: String) {
        var draft = draft()
        let error = #expect(throws: DraftError.self) { try draft.addRead(sql) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test func aWriteThatOnlyReadsIsRefused() {
        var draft = draft()
        let error = #expect(throws: DraftError.self) { try draft.addWrite("SELECT 1") }
        #expect(error?.description.contains("only reads; use --read") == true)
    }

    @Test func theTextIsAScenario() throws {
        var draft = draft {
            $0.workers = 10
            $0.rate = 200
            $0.arms = ["queue", "pool-8", "raw"].compactMap { DraftArm($0) }
            $0.writeShare = 0.2
            $0.database = #filePath
        }
        try draft.addRead("SELECT * FROM users WHERE id = :id")
        try draft.addWrite("UPDATE users SET age = :age WHERE id = :id")
        let scenario = try Scenario.parse(yaml: draft.yaml, file: "try")
        #expect(scenario.arms.map(\.name) == ["queue", "pool-8", "raw"])
        #expect(scenario.arms[1].readers == 8)
        #expect(scenario.clients.map(\.workers) == [8, 2])
        #expect(
            scenario.clients.map(\.pace) == [
                .open(Arrival(rate: 160)), .open(Arrival(rate: 40)),
            ]
        )
        #expect(scenario.primary == ["reads.response.p99", "writes.response.p99"])
    }

    @Test(arguments: ["pol", "pool-0", "pool-", "pool-x", "pool-1001"])
    func anUnknownArmIsNil(name: String) {
        #expect(DraftArm(name) == nil)
    }
}
