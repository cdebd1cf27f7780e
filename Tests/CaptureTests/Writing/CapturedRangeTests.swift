import Testing

@testable import Capture

/// Tests how a captured scenario models ranges, and which values share a variable.
struct CapturedRangeTests {
    /// An aggregate returns one row, so its range has the length of the other query's range.
    @Test(arguments: [
        ("BETWEEN ? AND ? + 4711", "BETWEEN :users_id AND :users_id + 99"),
        (">= ? AND id <= ?", ">= :users_id AND id <= :users_id + 99"),
    ])
    func theRowsOfAQueryRevealTheLengthOfARange(sql: String, expected: String) throws {
        let rows = "SELECT mail FROM users WHERE id \(sql)"
        let sum = "SELECT sum(age) FROM users WHERE id \(sql)"
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            let time = Double(index) * 0.02
            for (offset, (text, count)) in [("BEGIN", 0), (rows, 100), (sum, 1), ("COMMIT", 0)]
                .enumerated()
            {
                load.append(
                    CapturedExecution(
                        end: time + Double(offset + 1) * 0.001,
                        sql: text,
                        seconds: 0.001,
                        rows: count
                    )
                )
            }
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(captured.yaml.contains("SELECT mail FROM users WHERE id \(expected)"))
        #expect(captured.yaml.contains("SELECT sum(age) FROM users WHERE id \(expected)"))
        #expect(!captured.yaml.contains("length of the range"))
    }

    /// The ranges contain only literals, start before a parameter's value, or follow a comparison.
    @Test(arguments: [
        ("age BETWEEN 0 AND 4711", "4711"), ("id BETWEEN 10 AND 4711", "4711"),
        ("id BETWEEN ? - 4711 AND ? + 4712", "471"),
        ("mail = ? AND id BETWEEN 77 AND ? + 4711", ":users_mail +"),
    ])
    func aRangeRevealsNoLiteral(condition: String, secret: String) throws {
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            load += CaptureFixture.executions(
                ["SELECT mail FROM users WHERE \(condition)"],
                from: Double(index) * 0.05
            )
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(!captured.yaml.contains(secret), "\(captured.yaml)")
    }

    /// Without a query that returns the rows, the length is unknown.
    @Test func theLengthOfALoneAggregateIsReportedAsUnknown() throws {
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            var executions = CaptureFixture.executions(
                ["SELECT sum(age) FROM users WHERE id BETWEEN ? AND ? + 4711"],
                from: Double(index) * 0.05
            )
            executions[0].rows = 1
            load += executions
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(captured.yaml.contains("the length of the range over users.id"))
        #expect(captured.yaml.contains("BETWEEN :users_id AND :users_id + 1'"))
    }

    /// The most frequent form of a statement can contain more values than its first form.
    @Test func aRangeAfterAListOfAnyLengthIsModeled() throws {
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            let list = index == 0 ? "?" : "?, ?, ?"
            var executions = CaptureFixture.executions(
                ["SELECT mail FROM users WHERE age IN (\(list)) AND id BETWEEN ? AND ? + 4711"],
                from: Double(index) * 0.05
            )
            executions[0].rows = 10
            load += executions
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(captured.yaml.contains("BETWEEN :users_id AND :users_id + 9'"))
    }

    /// Without values, names show whether two statements refer to the same row.
    @Test(arguments: [
        (":id", ":id", true), (":from", ":to", false), ("?", "?", true), ("?1", "?2", true),
        ("@a", "$a", true), ("$1", "$2", true), (":p", ":q", false),
    ])
    func parametersWithOneNameShareAVariable(first: String, second: String, isShared: Bool) throws {
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            load += CaptureFixture.executions(
                [
                    "BEGIN", "UPDATE users SET age = age - 1 WHERE id = \(first)",
                    "UPDATE users SET age = age + 1 WHERE id = \(second)", "COMMIT",
                ],
                from: Double(index) * 0.05
            )
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(captured.yaml.contains("SET age = age - 1 WHERE id = :users_id'"))
        let other = isShared ? ":users_id'" : ":users_id_2'"
        #expect(captured.yaml.contains("SET age = age + 1 WHERE id = \(other)"))
    }
}
