import PoolgaugeAgent
import Telemetry
import Testing

@testable import poolgauge

struct AgentTextTests {
    private func text(of database: DatabaseStatus) -> String {
        let status = AgentStatus(
            name: "app",
            process: 7,
            ageNanoseconds: 5_000_000_000,
            allowsControl: false,
            database: database
        )
        return AgentText(status).text
    }

    private var observed: DatabaseStatus {
        DatabaseStatus(
            label: "app",
            kind: .pool,
            connections: [
                ConnectionStatus(label: "app.writer", role: .writer, interruptCount: nil)
            ],
            readers: ReaderPoolStatus(
                inUse: 1,
                open: 2,
                maximum: 4,
                saturatedNanoseconds: nil
            ),
            snapshots: [
                SnapshotStatus(label: "app.snapshot.1", origin: nil, ageNanoseconds: 3_000_000)
            ],
            interrupts: nil,
            busyCount: 2
        )
    }

    @Test func unknownValuesAreNotZero() {
        let text = text(of: observed)
        #expect(text.contains("1 of 4 in use, waits unknown"))
        #expect(text.contains("0 of 1 in use, waits unknown"))
        #expect(text.contains("busy 2, interrupts unknown"))
        #expect(text.contains("1, oldest app.snapshot.1, 3.00 ms"))
        #expect(!text.contains("no access waits"))
    }

    @Test func knownValuesAreReported() {
        var database = observed
        database.acquire = LatencySummary(count: 1, mean: 5, max: 5)
        database.interrupts = InterruptStatus(requested: 3, delivered: 1)
        database.snapshots[0].origin = AccessOrigin(name: "report")
        let text = text(of: database)
        #expect(text.contains("1 of 4 in use, no access waits"))
        #expect(text.contains("busy 2, interrupts 3 requested, 1 delivered"))
        #expect(text.contains("1, oldest app.snapshot.1 by report, 3.00 ms"))
    }
}
