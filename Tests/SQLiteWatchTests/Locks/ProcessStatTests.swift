import Testing

@testable import SQLiteWatch

struct ProcessStatTests {
    private static let rest =
        "S 1 2 2 0 -1 4194304 100 0 0 0 70 30 0 0 20 0 1 0 123456 1000 200 18446744073709551615"

    @Test(arguments: ["python3", "a b) c", "((", "e\u{1b}[2J"])
    func aNameMayContainAnyCharacters(name: String) throws {
        let stat = try #require(ProcessStat(Array("42 (\(name)) \(Self.rest)\n".utf8)))
        #expect(stat.name == name)
        #expect(stat.state == "S")
        #expect(stat.ticks == 100)
        #expect(stat.startTicks == 123_456)
    }

    @Test(arguments: [
        "", "42", "42 (a)", "42 (a) S 1 2", "42 )a( S", "42 (a) \(rest.dropLast(70))",
    ])
    func malformedLinesAreRejected(line: String) {
        #expect(ProcessStat(Array(line.utf8)) == nil)
    }
}
