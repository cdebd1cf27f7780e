import Foundation
import Testing

@testable import Capture

/// Tests reading executions from lines of JSON.
struct ExecutionReaderTests {
    private func read(_ text: String) throws -> [CapturedExecution] {
        try ExecutionReader.executions(of: Data(text.utf8), file: "log.jsonl")
    }

    @Test func aLineDescribesAnExecution() throws {
        let read = try read(
            """
            {"time": 12.5, "pid": 7, "connection": "a", "sql": "SELECT ?", "seconds": 0.25, "rows": 3, \
            "code": "SQLITE_BUSY_SNAPSHOT", "autocommit": false, \
            "values": [1, 1.5, "x", null, {"blob": "AAE="}, true]}
            """
        )
        var expected = CapturedExecution(
            end: 12.5,
            process: 7,
            connection: "a",
            sql: "SELECT ?",
            code: 5,
            autocommit: false,
            seconds: 0.25,
            rows: 3,
            values: [.integer(1), .real(1.5), .text("x"), .null, .blob([0, 1]), .integer(1)]
        )
        expected.line = 1
        #expect(read == [expected])
        #expect(read[0].wasBusy && read[0].start == 12.25)
    }

    @Test func datesAndStartTimesAreAccepted() throws {
        let read = try read(
            """
            {"time": "2026-01-31T12:00:00.25Z", "sql": "SELECT 1"}

            {"start": 1769860801, "seconds": 2, "sql": "SELECT 2"}
            """
        )
        #expect(read.map(\.end) == [1_769_860_800.25, 1_769_860_803])
        #expect(read.map(\.line) == [1, 3])
    }

    @Test func linesOfSeveralConnectionsMayBeInterleaved() throws {
        let read = try read(
            """
            {"time": 2, "connection": "a", "sql": "SELECT 2"}
            {"time": 1, "connection": "b", "sql": "SELECT 1"}
            """
        )
        #expect(read.map(\.sql) == ["SELECT 1", "SELECT 2"])
    }

    @Test(arguments: [
        ("", "log.jsonl: the file contains no statements"), ("\n \n", "no statements"),
        ("{\"time\": 1, \"sql\": \"SELECT 1\"}\n{oops", "log.jsonl:2: this is not JSON"),
        ("[1]", "log.jsonl:1: this is not an object"), ("{\"time\": 1}", "'sql' is missing"),
        ("{\"time\": 1, \"sql\": 3}", "'sql' must be the statement's text"),
        ("{\"sql\": \"SELECT 1\"}", "'time' is missing"),
        ("{\"time\": \"noon\", \"sql\": \"SELECT 1\"}", "'time' is 'noon'; write seconds"),
        ("{\"time\": -1, \"sql\": \"SELECT 1\"}", "'time' must be a nonnegative number"),
        ("{\"time\": 1, \"sql\": \"SELECT 1\", \"code\": \"BUSY\"}", "'code' is 'BUSY'"),
        ("{\"time\": 1, \"sql\": \"SELECT 1\", \"values\": 3}", "'values' must be a list"),
        (
            "{\"time\": 2, \"sql\": \"SELECT 1\"}\n{\"time\": 1, \"sql\": \"SELECT 1\"}",
            "log.jsonl:2: the time 1.0 of connection 1 is before 2.0"
        ),
    ])
    func anErrorIdentifiesItsLine(text: String, message: String) {
        let error = #expect(throws: CaptureError.self) { try read(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
