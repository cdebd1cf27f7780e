import Foundation
import Scenarios
import Testing

@testable import WorkloadEngine

/// Tests the lines of `poolgauge.driver/1`.
struct DriverMessagesTests {
    private func line(_ values: [WorkloadValue]) -> String {
        var line = DriverLine()
        line.begin(3)
        line.add(values, in: Array(values.indices))
        line.end()
        return String(decoding: line.take(), as: UTF8.self)
    }

    @Test func accessesAreLinesOfJSON() {
        let values: [WorkloadValue] = [
            .null, .integer(-7), .integer(1 << 53), .real(1), .real(-.infinity), .real(.nan),
            .text("a\"\\\n\u{7F}é"), .blob([0, 255]),
        ]
        let expected =
            #"[[3,null,-7,{"i":"9007199254740992"},1.0,-9e999,null,"a\"\\\n\u007fé",{"b":"00ff"}]]"#
        #expect(line(values) == expected + "\n")
    }

    /// The server for Swift reads what a run writes.
    @Test(arguments: [
        [], [WorkloadValue.integer(.min)], [.integer(.max), .text(""), .blob([])],
        [.real(-0.5), .real(1e300), .real(2), .text("[1,\"]")],
    ])
    func valuesAreReadUnchanged(values: [WorkloadValue]) throws {
        let bytes = Array(line(values).utf8.dropLast())
        #expect(try DriverRequest.parse(bytes) == [DriverRequest(access: 3, values: values)])
    }

    @Test(arguments: [
        ("SELECT :a, ':a', :b, :a -- :c", "SELECT ?, ':a', ?, ? -- :c", [0, 1, 0]),
        ("SELECT 1", "SELECT 1", []), ("INSERT INTO t VALUES(:é)", "INSERT INTO t VALUES(?)", [0]),
    ])
    func eachOccurrenceOfAParameterHasAValue(sql: String, expected: String, order: [Int]) {
        let parameters = DriverParameters(of: sql)
        #expect(parameters.sql == expected)
        #expect(parameters.order == order)
    }

    @Test func answersContainTimesAndResults() throws {
        let text = #"[0, 12,3,5,6,"5 database is locked",1,2,"POOL_TIMEOUT",1,2,"517"]"#
        let answers = try DriverAnswer.parse(Array(text.utf8), count: 4)
        #expect(answers.map(\.wait) == [0, 5, 1, 1])
        #expect(answers.map(\.service) == [12, 6, 2, 2])
        #expect(
            answers.map { $0.failure?.code } == [
                nil, "SQLITE_BUSY", "POOL_TIMEOUT", "SQLITE_BUSY_SNAPSHOT",
            ]
        )
        #expect(answers[1].failure?.message == "database is locked")
    }

    @Test(arguments: [
        "", "[", "[]", "{}", "[1,2]", "[1,2,3", "[1,2,3,4]", "[-1,2,3]", "[1,-2,3]", "[1,2,-3]",
        "[1.5,2,3]", "[99999999999999999999999,2,3]", "[1,2,\"]", "[1,2,\"\"]",
        "[1,2,\"\\x\"]", "[1,2,\"a-b c\"]", "[1,2,null]", "[[1,2,3]]", "[1,2,3],[1,2,3]",
    ])
    func invalidAnswersAreRejected(text: String) {
        #expect(throws: DriverAnswer.Malformed.self) {
            try DriverAnswer.parse(Array(text.utf8), count: 1)
        }
    }
}
