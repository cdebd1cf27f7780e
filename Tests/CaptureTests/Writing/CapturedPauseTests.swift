import Testing

@testable import Capture

/// Tests which times between statements become pauses.
struct CapturedPauseTests {
    /// Most statements have no recorded duration, so the gap before each one includes the time that
    /// the statement itself took.
    @Test func durationsOfUntimedStatementsAreNotPauses() throws {
        var load: [CapturedExecution] = []
        for index in 0..<200 {
            var executions = CaptureFixture.executions(
                [
                    "BEGIN", "SELECT age FROM users WHERE id = 1", "UPDATE users SET age = 2",
                    "COMMIT",
                ],
                from: Double(index) * 0.05,
                pause: index % 2 == 0 ? 0.00003 : 0.004
            )
            for place in executions.indices where index > 50 {
                executions[place].seconds = nil
                executions[place].end += Double(place) * 0.01
            }
            load += executions
        }
        let (_, captured) = try CaptureFixture.parsed(
            load,
            competition: ProcessorCompetition(share: 0.5, waitingThreads: 0.3)
        )
        #expect(!captured.yaml.contains("{pause: "), "\(captured.yaml)")
    }

    /// Half of the gaps are short, and the other gaps are as long as a time slice.
    @Test(arguments: [(0.0, 4.0, true), (0.5, 4, false), (0.5, 0.1, true)])
    func waitsForAProcessorAreNotPauses(share: Double, threads: Double, isModeled: Bool) throws {
        var load: [CapturedExecution] = []
        for index in 0..<200 {
            load += CaptureFixture.executions(
                [
                    "BEGIN", "SELECT age FROM users WHERE id = 1", "UPDATE users SET age = 2",
                    "COMMIT",
                ],
                from: Double(index) * 0.05,
                pause: index % 2 == 0 ? 0.00003 : 0.004
            )
        }
        let (_, captured) = try CaptureFixture.parsed(
            load,
            competition: ProcessorCompetition(share: share, waitingThreads: threads)
        )
        #expect(captured.yaml.contains("{pause: ") == isModeled)
    }
}
