import Testing

@testable import Capture

/// Tests statements with thousands of values.
@Suite(.timeLimit(.minutes(2)))
struct LongStatementTests {
    @Test func anInsertOfManyRowsHasFewVariables() throws {
        let rows = (1...2000).map { "(\($0), \($0 % 900), 'state \($0)')" }.joined(separator: ", ")
        let executions = (0..<10).flatMap { index in
            CaptureFixture.executions(["INSERT INTO orders VALUES \(rows)"], from: Double(index))
        }
        let captured = try CaptureFixture.scenario(executions)
        // The keys are `NULL`, so each row gets a new key.
        #expect(captured.yaml.contains("VALUES (NULL, :orders_user, :orders_state), (NULL, "))
        #expect(captured.yaml.split(separator: "\n").count { $0.contains("{distribution: ") } == 16)
    }

    @Test func listsOfDifferentLengthsAreOneStatement() throws {
        let executions = (0..<300).flatMap { index in
            let list = (0...(index % 3 * 40)).map { "\($0 + 10)" }.joined(separator: ", ")
            return CaptureFixture.executions(
                ["SELECT * FROM users WHERE id IN (\(list))"],
                from: Double(index) * 0.01
            )
        }
        let captured = try CaptureFixture.scenario(executions) { $0.showsValues = true }
        #expect(captured.operations.count == 1)
    }
}
