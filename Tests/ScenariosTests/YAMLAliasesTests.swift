import Scenarios
import Testing
import YAML

struct YAMLAliasesTests {
    /// Nested lists, 29 levels deep, each of which contains the previous list twice.
    ///
    /// The last list has the anchor `a29`.
    private static let levels =
        "a0: &a0 [x, x]\n"
        + (1...29).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()

    /// Yams would need hours for each of these keys.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "*a29 : 1", "? *a29\n: 1", "?\n  [*a29, *a29]\n: 1", "[*a29, x]: 1", "x: {[*a29] : 1}",
            "- ? *a29\n  : 1", "x: [? *a29 : 1]", "x: {? *a29 : 1}", "? ? *a29\n  : 1\n: 1",
            "x: {{a: *a29}: 1}", "&k *a29 : 1", "?\r\n  *a29\r\n:\r\n  1", "x: [*a29 y: 1]",
            "x: [[*a29] \"y,\": 1]",
        ]
    )
    func aKeyWithNestedAliasesIsRejected(key: String) {
        let yaml = Self.levels + key + "\n"
        #expect(YAMLAliases.costlyKeyLine(in: yaml) == 31)
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "deep.yaml")
        }
        #expect(error?.description.hasPrefix("deep.yaml:31:1: a key must not be an alias") == true)
    }

    @Test func aliasesInValuesAreAccepted() {
        let values = (0..<50).map { "v\($0): *a29\n" }.joined()
        #expect(YAMLAliases.costlyKeyLine(in: Self.levels + values) == nil)
    }

    @Test(
        arguments: [
            "sql: SELECT count(*) FROM a WHERE b = ? AND c IN (?, ?)", "sql: SELECT 2 *x, y",
            "? complex\n: 1", "[a, b]: 1", "one: &a 1\ntwo: *a",
        ]
    )
    func textWithFewAliasesIsAccepted(yaml: String) {
        #expect(YAMLAliases.costlyKeyLine(in: yaml) == nil)
    }

    @Test func parametersInSQLAreNotKeys() {
        let sql = "sql: |\n  SELECT a FROM b WHERE c = ? AND d IN (?,?)\n"
        #expect(YAMLAliases.costlyKeyLine(in: Self.levels + sql) == nil)
    }
}
