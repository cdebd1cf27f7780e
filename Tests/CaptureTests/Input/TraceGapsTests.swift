import Testing

@testable import Capture

/// Tests that gaps in a trace do not lower the rates of the captured load.
struct TraceGapsTests {
    private static func ends(
        _ executions: [CapturedExecution],
        _ gaps: [Int: [ClosedRange<Double>]],
        limit: Int = 100
    ) -> (ends: [Double], period: ClosedRange<Double>) {
        var trace = TraceGaps(gaps, in: 0...12)
        trace.limit = limit
        let (filled, period) = trace.filled(executions)
        return (filled.map(\.end), period)
    }

    private static func execution(at end: Double, process: Int = 1) -> CapturedExecution {
        CapturedExecution(end: end, process: process, sql: "SELECT 1")
    }

    @Test func executionsAreRepeatedInGaps() {
        let executions = [1, 2.5, 7].map { Self.execution(at: $0) }
        // The windows are 0...3 and 6...8, in turn: 3...6, and then 8...10 and 10...12.
        let gaps = [1: [3.0...5, 4...6, 8...12]]
        #expect(Self.ends(executions, gaps).ends == [1, 2.5, 4, 5.5, 7, 9, 11])
        // An execution inside a gap is incomplete.
        let more = executions + [Self.execution(at: 4)]
        #expect(Self.ends(more, gaps).ends == Self.ends(executions, gaps).ends)
        // Other processes keep their times.
        let other = [Self.execution(at: 4, process: 2), Self.execution(at: 9, process: 2)]
        #expect(Self.ends(other, gaps).ends == [4, 9])
        #expect(Self.ends(executions, [1: [0.0...12]]).ends == [])
    }

    @Test func aLongTraceIsCut() {
        let executions = (0..<60).map { Self.execution(at: Double($0) / 10) }
        let (ends, period) = Self.ends(executions, [1: [6.0...12]], limit: 60)
        #expect(period == 0...6)
        #expect(ends.count == 60)
    }

    /// Two transactions per second for a minute.
    private static var load: [CapturedExecution] {
        (0..<120).flatMap { index in
            CaptureFixture.executions(
                ["BEGIN", "UPDATE users SET age = 7 WHERE id = \(index + 1)", "COMMIT"],
                from: Double(index) * 0.5
            )
        }
    }

    @Test func ratesReferToTheRecordedTime() throws {
        let analysis = try CaptureAnalysis(
            Self.load,
            schema: CaptureFixture.schema,
            gaps: [0: [10.2...39.7]],
            period: 0...60
        )
        #expect(abs(analysis.duration - 60) < 0.5)
        let rate = Double(analysis.shapes[0].count) / analysis.duration
        #expect(analysis.shapes.count == 1 && abs(rate - 2) < 0.1)
    }

    @Test func transactionsCutByGapsAreCountedAsLeftovers() throws {
        // Each gap is inside one transaction, between its `BEGIN` and its `COMMIT`.
        let analysis = try CaptureAnalysis(
            Self.load,
            schema: CaptureFixture.schema,
            gaps: [0: [10.002...10.004, 20.002...20.004]],
            period: 0...60
        )
        #expect(analysis.leftovers.cutTransactionCount == 2)
        #expect(analysis.shapes.map(\.count) == [118])
    }
}
