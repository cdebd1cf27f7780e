import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct AccessSplitTests {
    private let folder = TemporaryFolder()

    private func makePool(_ change: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool
    {
        try DatabasePool.withTable(in: folder, configuration: .with(change))
    }

    private func findSplit(
        _ status: DatabaseStatus,
        _ role: ConnectionRole,
        isContended: Bool
    ) -> AccessSplit? {
        status.splits?.first { $0.role == role && $0.isContended == isContended }
    }

    private func total(_ summary: LatencySummary?) -> UInt64 {
        summary.map { $0.mean * $0.count } ?? 0
    }

    @Test func theClockAttributesEachMomentToOnePhase() {
        var clock = AccessClock(.acquiringState, at: 100)
        clock.enter(.closure, at: 110)
        let previousPhase = clock.enter(.insideSQLite, at: 130)
        #expect(previousPhase == .closure)
        clock.enter(.notifying, at: 170)
        clock.enter(.insideSQLite, at: 250)
        clock.enter(previousPhase, at: 255)
        clock.enter(.closure, at: 300)
        #expect(clock[.acquiringState] == 10)
        #expect(clock[.closure] == 20 + 45)
        #expect(clock[.insideSQLite] == 40 + 5)
        #expect(clock[.notifying] == 80)
        #expect(clock.times.wrappedSum() == 200)
    }

    @Test func oneOf32AccessesIsSampledOnAverage() {
        var state = SplitState(interval: 32)
        let gaps = (0..<10_000).map { _ in state.nextCountdown() }
        #expect(gaps.allSatisfy { (1...63).contains($0) })
        let mean = Double(gaps.reduce(0, +)) / 10_000
        #expect(abs(mean - 32) < 1)
        #expect(Set(gaps).count == 63)
    }

    @Test func oneAccessIn32IsSplit() throws {
        let pool = try makePool()
        for _ in 0..<3_200 { _ = try pool.rowCount() }
        let split = try #require(findSplit(pool.status(), .reader, isContended: false))
        #expect(split.interval == 32)
        #expect((60...150).contains(split.count))
        #expect(split.insideSQLite?.count == split.count)
        #expect(total(split.insideSQLite) > 0)
        #expect(total(split.waiting) == 0)
    }

    @Test func fullProbesSplitEveryAccess() throws {
        let pool = try makePool {
            $0.probes = .full
            // Without kept transactions, no timer acquires a connection during the test.
            $0.keepsReadTransactions = false
        }
        for _ in 0..<10 { _ = try pool.rowCount() }
        try pool.write { db in try db.insert(1) }
        let status = pool.status()
        let reads = try #require(findSplit(status, .reader, isContended: false))
        // The first read waited while its connection was opened.
        let first = try #require(findSplit(status, .reader, isContended: true))
        #expect(reads.count == 9)
        #expect(reads.interval == 1)
        #expect(first.count == 1)
        #expect(total(first.opening) > 0)
        let writes = try #require(findSplit(status, .writer, isContended: false))
        #expect(total(writes.acquiringState) > 0)
        #expect(total(writes.committing) > 0)
        #expect(total(writes.insideSQLite) > 0)
    }

    @Test func thePhasesAddUpToTheHold() throws {
        let pool = try makePool { $0.probes = .full }
        _ = try pool.rowCount()
        for value in 0..<20 {
            try pool.write { db in try db.insert(value) }
            _ = try pool.rowCount()
        }
        let status = pool.status()
        for (role, hold) in [(ConnectionRole.reader, status.hold), (.writer, status.writerHold)] {
            let splits = status.splits?.filter { $0.role == role } ?? []
            let held = splits.reduce(UInt64(0)) { sum, split in
                sum + total(split.acquiringState) + total(split.insideSQLite)
                    + total(split.closure) + total(split.committing) + total(split.notifying)
            }
            let expected = total(hold)
            // The mean of each phase is rounded down.
            #expect(held <= expected + 200 && held + 200 >= expected)
            #expect(splits.map(\.count).reduce(0, +) == 21)
        }
    }

    @Test func timeInTheClosureIsNotAttributedToSQLite() throws {
        let pool = try makePool { $0.probes = .full }
        let start = monotonicNanoseconds()
        _ = try pool.rowCount()
        let spent = try pool.read { db in
            _ = try db.rowCount()
            let begin = monotonicNanoseconds()
            while monotonicNanoseconds() < begin + 20_000_000 {}
            return monotonicNanoseconds() - begin
        }
        let elapsed = monotonicNanoseconds() - start
        let split = try #require(findSplit(pool.status(), .reader, isContended: false))
        #expect(total(split.closure) >= 20_000_000)
        // This holds even if the thread waited a long time for a core inside SQLite.
        #expect(total(split.insideSQLite) <= elapsed - spent)
    }

    @Test func waitingAccessesAreAlwaysSplitAndCountedSeparately() throws {
        let pool = try makePool { $0.maximumReaderCount = 1 }
        _ = try pool.rowCount()
        let isHeld = Gate()
        let mayEnd = Gate()
        let holder = Background {
            try pool.read { _ in
                isHeld.open()
                try mayEnd.wait()
            }
        }
        try isHeld.wait()
        let waiter = Background { try pool.rowCount() }
        try eventually { pool.status().waitingReaders.count == 1 }
        let observedWait = try #require(pool.status().oldestWaiterNanoseconds)
        mayEnd.open()
        try holder.value()
        _ = try waiter.value()
        let status = pool.status()
        let split = try #require(findSplit(status, .reader, isContended: true))
        // One access opened its connection, and the other access waited.
        #expect(split.count == 2)
        #expect(try #require(split.waiting).max >= observedWait)
        #expect(try #require(status.acquire).max >= observedWait)
    }

    @Test func aWaitingTaskIsSplit() async throws {
        let pool = try makePool { $0.maximumReaderCount = 1 }
        _ = try await pool.read { db in try db.rowCount() }
        let mayEnd = Gate()
        let holder = Background {
            try pool.read { _ in
                try mayEnd.wait()
            }
        }
        try await eventuallyAsync { pool.status().readers?.inUse == 1 }
        let task = Task { try await pool.read { db in try db.rowCount() } }
        try await eventuallyAsync { pool.status().waitingReaders.count == 1 }
        let observedWait = try #require(pool.status().oldestWaiterNanoseconds)
        mayEnd.open()
        try holder.value()
        _ = try await task.value
        let split = try #require(findSplit(pool.status(), .reader, isContended: true))
        #expect(try #require(split.waiting).max >= observedWait)
    }

    @Test func aWaitDoesNotDelayTheSample() throws {
        let probe = ConnectionProbe(level: .counters)
        let site = AccessSite(fileID: #fileID, line: #line)
        for round in 0..<6_400 {
            if round % 2 == 0 { probe.recordWait(since: 1, for: site) }
            probe.beginAccess(site)
            probe.endAccess()
        }
        let splits = probe.times.splits(role: .reader)
        #expect(splits.map(\.isContended) == [true, false])
        #expect(splits[0].count == 3_200)
        #expect((60...150).contains(splits[1].count))
    }

    @Test func anAccessThatNeverStartedLeavesNoWait() throws {
        let probe = ConnectionProbe(level: .counters)
        probe.recordWait(since: 1, for: AccessSite(fileID: #fileID, line: 1))
        probe.beginAccess(AccessSite(fileID: #fileID, line: 2))
        probe.endAccess()
        #expect(probe.times.splits(role: .reader).isEmpty)
    }

    @Test(arguments: [true, false])
    func observersHaveASeparateTime(fails: Bool) throws {
        let pool = try makePool { $0.probes = .full }
        let observer = SlowObserver()
        pool.add(transactionObserver: observer)
        let statusBefore = pool.status()
        struct Mistake: Error {}
        try? pool.write { db in
            try db.insert(1)
            if fails { throw Mistake() }
        }
        let split = try #require(findSplit(pool.status(), .writer, isContended: false))
        #expect(
            split.count == (findSplit(statusBefore, .writer, isContended: false)?.count ?? 0) + 1
        )
        // The observer runs three times if the access commits: for the change, before the commit,
        // and after the commit. The observer runs twice if the access fails: for the change and for
        // the rollback.
        #expect(try #require(split.notifying).max >= (fails ? 2 : 3) * SlowObserver.delay)
        #expect(total(split.insideSQLite) + total(split.committing) > 0)
    }

    @Test func statementsAndCommitsAreTimed() throws {
        let pool = try makePool { $0.probes = .full }
        let statusBefore = pool.status()
        try pool.write { db in
            try db.insert(1)
            try db.insert(2)
        }
        try pool.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.insert(3)
                return .commit
            }
        }
        try pool.read { db in
            // The cursor executes one statement, regardless of its number of steps.
            let outer = try Row.fetchCursor(db, sql: "SELECT v FROM t")
            while try outer.next() != nil {
                _ = try Int.fetchOne(db, sql: "SELECT 1")
            }
        }
        let statusAfter = pool.status()
        let statements = (statusAfter.statement?.count ?? 0) - (statusBefore.statement?.count ?? 0)
        // `BEGIN` and `COMMIT` of the second access are also counted as statements.
        #expect(statements == 2 + 3 + 1 + 3)
        #expect((statusAfter.commit?.count ?? 0) - (statusBefore.commit?.count ?? 0) == 2)
    }

    @Test func withoutProbesNothingIsSplit() throws {
        let pool = try makePool { $0.probes = .off }
        for _ in 0..<100 { _ = try pool.rowCount() }
        try pool.write { db in try db.insert(1) }
        let status = pool.status()
        #expect(status.splits?.isEmpty == true)
        #expect(status.commit == nil)
        #expect(status.connections.allSatisfy { $0.transaction == nil })
    }
}

/// An observer that spends a long time in every callback.
private final class SlowObserver: TransactionObserver, Sendable {
    /// The duration of each callback in nanoseconds.
    static let delay: UInt64 = 2_000_000

    private func spin() {
        let end = monotonicNanoseconds() + Self.delay
        while monotonicNanoseconds() < end {}
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { spin() }
    func databaseWillCommit() throws { spin() }
    func databaseDidCommit(_ db: Database) { spin() }
    func databaseDidRollback(_ db: Database) { spin() }
}
