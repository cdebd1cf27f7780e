import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// An in-place run restores the journal mode, but only after it has closed the database.
struct TargetOpenerTests {
    /// A library whose arms switch the database to WAL mode.
    private final class SwitchingFactory: WorkloadTargetFactory {
        let events = Lock<[String]>([])
        private let mode = Lock(Arm.Journal.delete)
        private let closes: Bool

        /// - Parameter closes: Whether the database of the run can be closed.
        init(closes: Bool = true) { self.closes = closes }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            let name = arm.name
            events.withLock { $0.append("open \(name)") }
            mode.withLock { $0 = arm.journal ?? .wal }
            var behaviour = FakeTarget.Behaviour()
            behaviour.statement = { throw FakeFailure.broken }
            behaviour.close = { [events, closes] in
                if !closes { throw FakeFailure.busy }
                events.withLock { $0.append("close \(name)") }
            }
            return FakeTarget(clock: SimulatedClock(), behaviour)
        }

        func journalMode(ofDatabaseAt path: String) -> Arm.Journal? { mode.withLock { $0 } }
    }

    private func opener(_ factory: SwitchingFactory, setup: [String] = []) -> TargetOpener {
        var options = RunOptions()
        options.database = .inPlace(URL(fileURLWithPath: "app.sqlite"))
        var arm = Arm(name: "pool", kind: .pool)
        arm.setup = setup
        return TargetOpener(
            arm: arm,
            factory: factory,
            options: options,
            control: RunControl(clock: options.clock)
        )
    }

    @Test func closingRestoresTheJournalMode() throws {
        let factory = SwitchingFactory()
        let opened = try opener(factory).open(at: "app.sqlite") { _ in }
        #expect(factory.events.withLock { $0 } == ["open pool"])
        try opened.close()
        let expected = ["open pool", "close pool", "open restore", "close restore"]
        #expect(factory.events.withLock { $0 } == expected)
        #expect(factory.journalMode(ofDatabaseAt: "app.sqlite") == .delete)
    }

    /// Connections are still open; changing the mode requires all of them to be closed.
    @Test func aDatabaseThatCannotBeClosedKeepsTheModeOfTheRun() throws {
        let factory = SwitchingFactory(closes: false)
        let opened = try opener(factory).open(at: "app.sqlite") { _ in }
        #expect(throws: FakeFailure.busy) { try opened.close() }
        #expect(factory.events.withLock { $0 } == ["open pool"])
    }

    @Test func aFailedSetupRestoresTheModeToo() throws {
        let factory = SwitchingFactory()
        #expect(throws: RunError.self) {
            try opener(factory, setup: ["CREATE TABLE t (x)"]).open(at: "app.sqlite") { _ in }
        }
        let expected = ["open pool", "close pool", "open restore", "close restore"]
        #expect(factory.events.withLock { $0 } == expected)
    }
}
