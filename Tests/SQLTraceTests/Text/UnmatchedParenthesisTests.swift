import Testing

@testable import SQLTrace

struct UnmatchedParenthesisTests {
    /// Another program's statement can contain 64 KiB of parentheses.
    @Test(arguments: ["IN (", "VALUES (", "(", "x IN ((", ")"])
    func manyUnmatchedParenthesesTakeLittleTime(part: String) {
        let sql = String(repeating: part, count: (1 << 16) / part.utf8.count)
        let time = ContinuousClock().measure {
            #expect(StatementText.normalized(sql).count <= 4_096)
        }
        #expect(time < .seconds(5))
    }

    @Test func matchedParenthesesAreFound() {
        #expect(
            StatementText.normalized("SELECT ((1)) WHERE a IN (1, 2, 3) AND b IN (SELECT (c))")
                == "SELECT ((?)) WHERE a IN (?…) AND b IN (SELECT (c))"
        )
    }
}
