import Testing

@testable import Capture

/// Tests that gaps in a trace do not lower the rates of the captured load.
struct TraceGapsTests {
    @Test func theRecordedTimeHasNoGaps() throws {
        let gaps = TraceGaps([30...40, 10...20, 15...22])
        #expect(gaps.moment(at: 5) == .init(segment: 0, time: 5))
        #expect(gaps.moment(at: 10) == nil && gaps.moment(at: 21) == nil)
        #expect(gaps.moment(at: 25) == .init(segment: 1, time: 13))
        #expect(gaps.moment(at: 50) == .init(segment: 2, time: 28))
        #expect(TraceGaps([]).moment(at: 7) == .init(segment: 0, time: 7))
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
            gaps: [10.2...39.7]
        )
        #expect(abs(analysis.duration - 30) < 0.5)
        let rate = Double(analysis.shapes[0].count) / analysis.duration
        #expect(analysis.shapes.count == 1 && abs(rate - 2) < 0.1)
    }

    @Test func transactionsCutByGapsAreCountedAsLeftovers() throws {
        // Each gap is inside one transaction, between its `BEGIN` and its `COMMIT`.
        let analysis = try CaptureAnalysis(
            Self.load,
            schema: CaptureFixture.schema,
            gaps: [10.002...10.004, 20.002...20.004]
        )
        #expect(analysis.leftovers.cutTransactionCount == 2)
        #expect(analysis.shapes.map(\.count) == [118])
    }
}
