import Scenarios
import Testing

struct StatementTemplateTests {
    @Test(arguments: [
        ("SELECT 1", []),
        ("SELECT :a, :b, :a", ["a", "b"]),
        ("SELECT ':no', \":no\", `:no`, [:no], :yes", ["yes"]),
        ("SELECT 'it''s :no', :yes", ["yes"]),
        ("SELECT :a -- :no\n, :b /* :no */, :c", ["a", "b", "c"]),
        ("SELECT x::text, :a", ["a"]),
        ("SELECT a:b", ["b"]),
        ("SELECT :größe, :a_1 /* never closed :no", ["größe", "a_1"]),
        ("SELECT 'never closed :no", []),
        ("SELECT 1 - :a / :b", ["a", "b"]),
        (":", []),
        ("", []),
    ])
    func parametersAreInTheOrderOfTheirFirstAppearance(sql: String, parameters: [String]) {
        #expect(StatementTemplate(sql: sql).parameters == parameters)
    }

    @Test func parametersWithoutValuesAreReported() {
        let template = StatementTemplate(sql: "SELECT ?, ?1, @a, $b, :c")
        #expect(template.parameters == ["c"])
        #expect(template.unsupportedParameters == ["?", "?1", "@a", "$b"])
    }

    @Test func theVerbIsTheFirstWord() {
        #expect(StatementTemplate(sql: "/* a */ -- b\n insert into t").verb == "INSERT")
        #expect(StatementTemplate(sql: "").verb.isEmpty)
    }

    @Test func statementsEndAtSemicolonsOutsideStringsAndTriggers() {
        let text = """
            CREATE TABLE a (b TEXT DEFAULT ';'); -- ; here
            ;;
            CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN
                SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a;
            END;
            INSERT INTO a VALUES (1) -- the end
            """
        #expect(
            StatementTemplate.statements(in: text) == [
                "CREATE TABLE a (b TEXT DEFAULT ';')",
                """
                CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN
                    SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a;
                END
                """,
                "INSERT INTO a VALUES (1)",
            ]
        )
        #expect(StatementTemplate.statements(in: "-- nothing\n;").isEmpty)
    }
}
