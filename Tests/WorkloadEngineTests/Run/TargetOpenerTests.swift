import Foundation
import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests that an in-place run restores the journal mode only after it has closed the database.
struct TargetOpenerTests {
    /// A factory for targets that switch the database to WAL mode.
    private final class SwitchingFactory: WorkloadTargetFactory {
        let events = Lock<[String]>([])
        private let mode = Lock(Arm.Journal.delete)
        private let canClose: Bool

        /// - Parameter canClose: Whether the database of the run can be closed.
        init(canClose: Bool = true) { self.canClose = canClose }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            let name = arm.name
            events.withLock { $0.append("open \(name)") }
            mode.withLock { $0 = arm.journal ?? .wal }
            var behavior = FakeTarget.Behavior()
            behavior.statement = { throw FakeFailure.broken }
            behavior.close = { [events, canClose] in
                if !canClose { throw FakeFailure.busy }
                events.withLock { $0.append("close \(name)") }
            }
            return FakeTarget(clock: SimulatedClock(), behavior)
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

    /// A factory whose database is locked by another process for the first attempts.
    private final class LockedFactory: WorkloadTargetFactory {
        let attempts = Lock(0)
        private let lockedAttempts: Int

        init(lockedAttempts: Int) { self.lockedAttempts = lockedAttempts }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt <= lockedAttempts { throw FakeFailure.busy }
            return FakeTarget(clock: SimulatedClock())
        }

        func failure(of error: any Error) -> WorkloadFailure { .busy("SQLITE_BUSY") }
    }

    private func open(_ factory: LockedFactory, timeout: Duration) throws -> [String] {
        var options = RunOptions()
        options.database = .inPlace(URL(fileURLWithPath: "app.sqlite"))
        var arm = Arm(name: "pool", kind: .pool)
        arm.busyTimeout = timeout
        let opener = TargetOpener(
            arm: arm,
            factory: factory,
            options: options,
            control: RunControl(clock: options.clock)
        )
        var reports: [String] = []
        _ = try opener.open(at: "app.sqlite") { reports.append($0) }
        return reports
    }

    @Test func aLockedDatabaseIsRetriedUntilTheLockIsReleased() throws {
        let factory = LockedFactory(lockedAttempts: 3)
        let reports = try open(factory, timeout: .seconds(30))
        #expect(factory.attempts.withLock { $0 } == 4)
        #expect(reports.count == 3)
        #expect(reports.allSatisfy { $0.hasPrefix("waiting because the database is locked by ") })
    }

    @Test func aLockedDatabaseIsRetriedForTheBusyTimeout() throws {
        let factory = LockedFactory(lockedAttempts: .max)
        let start = ContinuousClock.now
        let error = #expect(throws: RunError.self) {
            _ = try open(factory, timeout: .milliseconds(200))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        #expect(factory.attempts.withLock { $0 } > 2)
        #expect(error?.description.contains("it was locked by ") == true)
        #expect(error?.description.contains(" for 200 ms") == true)
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

    /// The journal mode can be changed only after all connections are closed.
    @Test func aDatabaseThatCannotBeClosedKeepsItsJournalMode() throws {
        let factory = SwitchingFactory(canClose: false)
        let opened = try opener(factory).open(at: "app.sqlite") { _ in }
        #expect(throws: FakeFailure.busy) { try opened.close() }
        #expect(factory.events.withLock { $0 } == ["open pool"])
    }

    @Test func aFailedSetupAlsoRestoresTheMode() throws {
        let factory = SwitchingFactory()
        #expect(throws: RunError.self) {
            try opener(factory, setup: ["CREATE TABLE t (x)"]).open(at: "app.sqlite") { _ in }
        }
        let expected = ["open pool", "close pool", "open restore", "close restore"]
        #expect(factory.events.withLock { $0 } == expected)
    }
}
