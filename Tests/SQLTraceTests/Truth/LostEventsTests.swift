#if os(Linux)
import TestSupport
import Testing

@testable import SQLTrace

/// Tests traces that lose events because the buffers are full.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(2))
)
struct LostEventsTests {
    @Test func executionsOutsideTheGapsAreComplete() throws {
        let folder = TemporaryFolder()
        let path = folder.file()
        let program = try ForeignProgram(path, name: "fast")
        // All events go to one processor's buffer, and there are enough of them to fill it more
        // than once.
        try program.run(
            """
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            c = connect(path)
            c.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY)")
            def select(numbers):
                for i in numbers:
                    c.execute("SELECT %d FROM stock" % i).fetchall()
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run("select(range(150000))")
        let first = session.poll()
        #expect(Self.isMissingOnlyStart(first, through: 149_999))
        let gaps = session.takeGaps()
        let start = try #require(first.first)
        // The first event after the loss may not be an execution.
        let lossEnd = try #require(gaps.map(\.upperBound).filter { $0 <= start.end }.max())
        #expect(start.end - lossEnd < first[100].end - start.end)
        #expect(
            first.allSatisfy { execution in
                !gaps.contains { $0.contains(execution.end + 1) }
            }
        )

        // Recording resumes.
        try program.run("select(range(150001, 150101))")
        let second = Self.numbers(session.poll())
        #expect(second == Array(150_001...150_100))
        #expect(try session.database().tracing.lost > 0)
    }

    private static func numbers(_ executions: [StatementExecution]) -> [Int] {
        executions.compactMap { execution in
            execution.sql.flatMap {
                $0.hasPrefix("SELECT ") ? Int($0.split(separator: " ")[1]) : nil
            }
        }
    }

    /// Returns whether executions are missing only at the start.
    private static func isMissingOnlyStart(
        _ executions: [StatementExecution],
        through last: Int
    ) -> Bool {
        let found = numbers(executions)
        guard let first = found.first, first > 0 else { return false }
        return found == Array(first...last)
    }
}
#endif
