import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct PendingInterruptTests {
    private func sample(
        _ sequence: Int,
        _ change: (inout InterruptStatus) -> Void = { _ in }
    )
        -> Sample
    {
        var database = DatabaseStatus(label: "db", kind: .pool)
        database.connections = [ConnectionStatus(label: "db.writer", role: .writer)]
        var interrupts = InterruptStatus()
        change(&interrupts)
        database.interrupts = interrupts
        return Sample(
            sequence: sequence,
            time: Double(sequence) / 10,
            scenario: "s",
            arm: "a",
            database: database
        )
    }

    private func summary(_ count: UInt64, mean: UInt64) -> LatencySummary {
        LatencySummary(count: count, mean: mean, max: 9_000_000)
    }

    private func messages(_ model: DashboardModel) -> [String] {
        model.history.newestEvents(20).map(\.message)
            .filter { $0.contains("interrupt") || $0.contains("no statement") }
    }

    @Test func theLatencyIsReportedOnce() {
        var model = DashboardModel()
        model.ingest(
            sample(0) {
                $0 = InterruptStatus(requested: 4, delivered: 2)
                $0.latency = summary(2, mean: 1_000_000)
            }
        )
        #expect(model.handle(.key(.character("I"))) == [.interrupt(connection: nil)])
        model.ingest(sample(1) { $0 = InterruptStatus(requested: 5, delivered: 2) })
        #expect(messages(model).isEmpty)
        for sequence in 2...9 {
            model.ingest(
                sample(sequence) {
                    // Two statements end, one after the other.
                    $0 = InterruptStatus(requested: 5, delivered: sequence < 3 ? 3 : 4)
                    $0.latency = summary(4, mean: 2_000_000)
                }
            )
        }
        #expect(
            messages(model) == [
                "all connections: 2 statements ended 3.00 ms after the interrupt"
            ]
        )
    }

    @Test func anInterruptWithoutEffectIsReported() {
        var model = DashboardModel()
        model.ingest(sample(0))
        // The writer is the only connection.
        #expect(model.handle(.key(.character("i"))) == [.interrupt(connection: "db.writer")])
        model.ingest(sample(1) { $0 = InterruptStatus(requested: 1, withoutEffect: 1) })
        model.ingest(sample(2) { $0 = InterruptStatus(requested: 1, withoutEffect: 1) })
        #expect(messages(model) == ["db.writer: no statement was running"])
    }

    @Test func anInterruptWithoutAnOutcomeIsReportedAfterATimeout() {
        var model = DashboardModel()
        model.ingest(sample(0))
        _ = model.handle(.key(.character("I")))
        _ = model.handle(.key(.character("i")))
        for sequence in 1...60 { model.ingest(sample(sequence) { $0.requested = 1 }) }
        #expect(messages(model) == ["several connections: no statement ended after the interrupt"])
    }
}
