import Testing
import WorkloadEngine

@testable import Capture

struct FidelityAdjustmentTests {
    /// A program that waits twice for 1 to 9 ms in each transaction, and for 50 ms between two of
    /// them.
    private static let load: [CapturedExecution] = {
        var executions: [CapturedExecution] = []
        var now = 0.0
        for number in 0..<60 {
            let pause = 0.001 + 0.002 * Double(number * 7 % 5)
            for sql in ["BEGIN IMMEDIATE", "UPDATE users SET age = ? WHERE id = ?", "COMMIT"] {
                now += sql.hasPrefix("B") ? 0.05 : pause
                now += 0.001
                executions.append(CapturedExecution(end: now, sql: sql, seconds: 0.001))
            }
        }
        return executions
    }()

    private func row(
        _ operation: CapturedScenario.Operation,
        seconds: Double,
        rate: Double
    ) -> FidelityReport.Row {
        FidelityReport.Row(
            name: operation.name,
            rate: (operation.rate, rate),
            seconds: (operation.meanSeconds, seconds),
            rows: (nil, nil),
            busy: (0, 0),
            count: (1_000, 1_000),
            variation: 0
        )
    }

    @Test func aFastReplayGetsLongerPauses() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let client = try #require(captured.clients.first)
        let think = try #require(client.thinkSeconds)
        let captures = try #require(operation.meanSeconds)
        #expect(operation.pauseSeconds > 0.009 && operation.pauseSeconds < 0.011)
        // In the run, the statements took 2 ms less than in the program.
        let cycle = 1 / operation.rate
        let fast = row(operation, seconds: captures - 0.002, rate: 1 / (cycle - 0.002))
        let adjustment = try #require(FidelityAdjustment().corrected(by: [fast], of: captured))
        let next = try CaptureFixture.scenario(Self.load, adjustment: adjustment)
        let longer = try #require(next.operations.first)
        #expect(abs(longer.pauseSeconds - operation.pauseSeconds - 0.002) < 0.0002)
        #expect(abs(try #require(next.clients.first?.thinkSeconds) / think - 1) < 0.03)
        #expect(adjustment.descriptions.count == 1)
    }

    @Test func aSlowCycleGetsShorterThinkTimes() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let think = try #require(captured.clients.first?.thinkSeconds)
        let same = try #require(operation.meanSeconds)
        let slow = row(operation, seconds: same, rate: 1 / (1 / operation.rate + 0.01))
        let adjustment = try #require(FidelityAdjustment().corrected(by: [slow], of: captured))
        let next = try CaptureFixture.scenario(Self.load, adjustment: adjustment)
        #expect(abs(try #require(next.clients.first?.thinkSeconds) - (think - 0.01)) < 0.001)
        #expect(next.yaml.contains("after a check"))
    }

    @Test func equalRunsNeedNoCorrection() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let equal = row(
            operation,
            seconds: try #require(operation.meanSeconds),
            rate: operation.rate
        )
        #expect(FidelityAdjustment().corrected(by: [equal], of: captured) == nil)
        // A run without transactions says nothing.
        let none = row(operation, seconds: 0, rate: 0)
        #expect(FidelityAdjustment().corrected(by: [none], of: captured) == nil)
    }
}
