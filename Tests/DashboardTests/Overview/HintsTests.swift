import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct HintsTests {
    /// Returns the overview of a run.
    ///
    /// `frames` returns the length of the log at a given time.
    private func overview(
        keys: DashboardKeys = .standard,
        size: (Int, Int) = (120, 40),
        interrupts: InterruptStatus = InterruptStatus(),
        frames: (Double) -> UInt64
    ) -> String {
        var model = DashboardModel(keys: keys)
        for var sample in Story().samples(until: 20) {
            let count = frames(sample.time)
            sample.database.wal?.pin = nil
            sample.database.wal?.frames = count
            sample.database.wal?.checkpointedFrames = 0
            sample.database.wal?.bytes = 32 + count * 4_120
            sample.database.interrupts = interrupts
            model.ingest(sample)
        }
        return model.render(size: Size(width: size.0, height: size.1)).plainText
    }

    @Test func aGrowingLogIdentifiesTheScreenWithTheCause() {
        let growing = overview { 2_000 + UInt64($0) * 100 }
        #expect(growing.contains("press 4 to see why it grows"))
        #expect(overview(size: (80, 24)) { 2_000 + UInt64($0) * 100 }.contains("▲ growing, see 4"))
        // A long log of constant length, and a log that is shorter than SQLite's threshold for
        // automatic checkpoints.
        #expect(!overview { _ in 4_000 }.contains("grows"))
        #expect(!overview { UInt64($0) * 40 }.contains("grows"))
    }

    @Test func theHintShowsTheConfiguredKey() throws {
        let keys = try DashboardKeys(changing: [.snapshots: [.character("w")]])
        #expect(
            overview(keys: keys) { 2_000 + UInt64($0) * 100 }.contains(
                "press w to see why it grows"
            )
        )
        let none = try DashboardKeys(changing: [.snapshots: []])
        #expect(!overview(keys: none) { 2_000 + UInt64($0) * 100 }.contains("see why it grows"))
    }

    @Test func interruptsAreReportedAsCallsAndEndedStatements() {
        #expect(overview { _ in 10 }.contains("no interrupts"))
        let counts = InterruptStatus(requested: 3, delivered: 4, withoutEffect: 1)
        let text = overview(interrupts: counts) { _ in 10 }
        #expect(text.contains("interrupts: 3 calls, 2 during SQL"))
        #expect(text.contains("4 statements ended"))
        let narrow = overview(size: (80, 24), interrupts: counts) { _ in 10 }
        #expect(narrow.contains("3 interrupts ended 4 statements"))
    }
}
