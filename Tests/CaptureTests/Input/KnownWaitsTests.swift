import Testing

@testable import Capture

/// Tests that known lock waits are counted even if only a sample of the executions is timed.
struct KnownWaitsTests {
    @Test func theWaitsOfUntimedExecutionsAreNotPauses() throws {
        var time = 0.0
        let executions = (0..<300).map { index in
            let wait = index % 10 == 0 ? 0.5 : 0
            // A pause of 50 ms precedes each execution of 2 ms.
            time += 0.05 + wait + 0.002
            return CapturedExecution(
                end: time,
                sql: "UPDATE users SET age = 7 WHERE id = 1",
                seconds: index % 9 == 4 ? wait + 0.002 : nil,
                waited: wait
            )
        }
        let analysis = try CaptureAnalysis(executions, schema: CaptureFixture.schema)
        let shape = try #require(analysis.shapes.first)
        #expect(abs(shape.activeDurations.mean - 0.002) < 1e-9)
        // 30 waits of 500 ms and 300 executions of 2 ms.
        #expect(abs(shape.writeSeconds - 15.6) < 0.01)
        guard case .closed(let think?) = try #require(analysis.clients.first).pace else {
            Issue.record("no think time")
            return
        }
        #expect(abs(think.mean - 0.05) < 0.005)
    }
}
