#if os(Linux)
import TestSupport
import Testing

@testable import SQLTrace

/// Tests traces that lose records because the buffer is full.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(2))
)
struct LostRecordsTests {
    @Test func lostExecutionsAreCountedExactly() throws {
        let folder = TemporaryFolder()
        let path = folder.file()
        let program = try ForeignProgram(path, name: "fast")
        try program.run(
            """
            c = connect(path)
            c.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY)")
            def select(numbers):
                for i in numbers:
                    c.execute("SELECT %d FROM stock" % i).fetchall()
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        // The records do not fit into the buffer, which is not read meanwhile.
        try program.run("select(range(150000))")
        let first = session.poll()
        let lost = try session.database().tracing.lost
        #expect(lost > 0)
        #expect(first.count + Int(lost) == 150_000)
        // The text of the last executions may not fit.
        #expect(Self.numbers(first) == Array(0..<Self.numbers(first).count))
        #expect(first.count - Self.numbers(first).count < 4)

        // Recording continues.
        try program.run("select(range(150000, 150100)); c.execute(\"SELECT 'end of test'\")")
        #expect(Self.numbers(session.executions()) == Array(150_000..<150_100))
        #expect(try session.database().tracing.lost == lost)
    }

    private static func numbers(_ executions: [StatementExecution]) -> [Int] {
        executions.compactMap { execution in
            execution.sql.flatMap {
                $0.hasPrefix("SELECT ") ? Int($0.split(separator: " ")[1]) : nil
            }
        }
    }
}
#endif
