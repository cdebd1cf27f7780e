import Dashboard
import Dispatch
import Foundation
import SQLiteEngine
import Synchronization
import Telemetry
import TerminalUI
import TestSupport
import Testing
import Text

/// Tests that times on the screen match a stopwatch within a tenth of a second, even on a busy
/// machine.
///
/// The tests read the stopwatch before and after each event. If a thread waits for a processor, the
/// tolerance increases, so the test does not fail.
@Suite(.timeLimit(.minutes(2)))
struct StopwatchTests {
    private static let tenth = 0.1
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "stopwatch-\(UUID().uuidString)")

    /// A point in time between two readings of the clock, in seconds.
    private struct Moment {
        var earliest: Double
        var latest: Double

        static var clock: Double {
            Double(DispatchTime.now().uptimeNanoseconds) / 1e9
        }
    }

    /// Expects a duration to match the time between two moments, within the tolerance.
    private func expect(
        _ nanoseconds: UInt64?,
        from start: Moment,
        to end: Moment,
        _ what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let seconds = Double(try #require(nanoseconds, what, sourceLocation: sourceLocation)) / 1e9
        let least = end.earliest - start.latest - Self.tenth
        let most = end.latest - start.earliest + Self.tenth
        #expect((least...most).contains(seconds), what, sourceLocation: sourceLocation)
    }

    /// A thread that performs an operation and stores its result.
    private final class Worker: Sendable {
        private let outcome = Mutex<Result<Void, any Error>?>(nil)
        private let hasEnded = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                let result = Result { try body() }
                outcome.withLock { $0 = result }
                hasEnded.signal()
            }
        }

        func value() throws {
            hasEnded.wait()
            hasEnded.signal()
            try outcome.withLock { $0 }?.get()
        }
    }

    private func makePool(readers: Int) throws -> DatabasePool {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.label = "truth"
        let path = folder.appending(path: "truth.sqlite").path
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        }
        return pool
    }

    /// Waits until a status meets a condition, and returns that status with its time.
    private func status(
        of pool: DatabasePool,
        until isMet: (DatabaseStatus) -> Bool
    ) throws -> (DatabaseStatus, Moment) {
        try eventually("the status meets the condition") {
            let before = Moment.clock
            let status = pool.status()
            let after = Moment.clock
            return isMet(status) ? (status, Moment(earliest: before, latest: after)) : nil
        }
    }

    /// Renders a screen for a status.
    private func screen(_ number: Character, of status: DatabaseStatus) -> String {
        var model = DashboardModel()
        let size = Size(width: 160, height: 50)
        _ = model.handle(.resize(size))
        model.ingest(
            Sample(sequence: 0, time: 1, scenario: "by hand", arm: "pool", database: status)
        )
        _ = model.handle(.key(.character(number)))
        return model.render(size: size).plainText
    }

    @Test func timesOfAHeldReaderAndItsWaiterMatchAStopwatch() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try makePool(readers: 1)
        let mayEnd = DispatchSemaphore(value: 0)
        let holdMoment = Mutex<Moment?>(nil)
        let read = Mutex<Moment?>(nil)
        let isHeld = DispatchSemaphore(value: 0)
        let mayRead = DispatchSemaphore(value: 0)
        let hasRead = DispatchSemaphore(value: 0)
        let holder = Worker {
            let before = Moment.clock
            try pool.read(as: AccessLabel("by hand")) { db in
                holdMoment.withLock { $0 = Moment(earliest: before, latest: Moment.clock) }
                isHeld.signal()
                // The first statement pins the log. It starts later than its access.
                mayRead.wait()
                let before = Moment.clock
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                read.withLock { $0 = Moment(earliest: before, latest: Moment.clock) }
                hasRead.signal()
                mayEnd.wait()
            }
        }
        isHeld.wait()
        let start = try #require(holdMoment.withLock { $0 })
        let (_, unread) = try status(of: pool) {
            $0.connections.contains { $0.heldNanoseconds ?? 0 > 400_000_000 }
        }
        mayRead.signal()
        hasRead.wait()
        // These frames are newer than the reader's state, so the log cannot restart.
        try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
        let saturatedBefore = try #require(pool.status().readers?.saturatedNanoseconds)
        let requestTime = Moment.clock
        let waiter = Worker { try pool.read(as: AccessLabel("in a queue")) { _ in } }
        let (_, queued) = try status(of: pool) { !$0.waitingReaders.isEmpty }
        let (now, end) = try status(of: pool) { status in
            status.waitingReaders.contains { $0.waitedNanoseconds > 600_000_000 }
                && status.wal?.pin != nil
        }

        let connection = try #require(now.connections.first { $0.role == .reader })
        try expect(connection.heldNanoseconds, from: start, to: end, "the hold time")
        #expect(connection.holder?.name == "by hand")
        let waits = try #require(now.waitingReaders.first)
        let began = Moment(earliest: requestTime, latest: queued.latest)
        try expect(waits.waitedNanoseconds, from: began, to: end, "the wait time")
        #expect(waits.origin.name == "in a queue")
        let saturated = try #require(now.readers?.saturatedNanoseconds)
        try expect(
            saturated - saturatedBefore,
            from: began,
            to: end,
            "the time of saturation"
        )
        let pin = try #require(now.wal?.pin)
        #expect(pin.by.name == "by hand")
        // The age may also start at the last status before the reader acquired its state.
        let firstStatement = Moment(
            earliest: unread.earliest,
            latest: try #require(read.withLock { $0 }).latest
        )
        try expect(pin.ageNanoseconds, from: firstStatement, to: end, "the age of the pin")

        // The screen shows the same times.
        let overview = screen("1", of: now)
        let heldText = HumanUnits.duration(nanoseconds: connection.heldNanoseconds ?? 0)
        let waitedText = HumanUnits.duration(nanoseconds: waits.waitedNanoseconds)
        #expect(overview.contains("1 of 1 reader in use"))
        #expect(overview.contains("by hand") && overview.contains(heldText))
        #expect(overview.contains("in a queue") && overview.contains(waitedText))
        #expect(overview.contains("pinned by by hand"))
        let waiters = screen("3", of: now)
        #expect(waiters.contains("in a queue") && waiters.contains("by hand"))
        #expect(waiters.contains("1 read waits for a reader"))

        mayEnd.signal()
        try holder.value()
        try waiter.value()
        try pool.close()
    }

    @Test func aSnapshotIsAsOldAsItsFirstStatement() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try makePool(readers: 1)
        let before = Moment.clock
        let snapshot = try pool.makeSnapshot(as: AccessLabel("a look back"))
        let creation = Moment(earliest: before, latest: Moment.clock)
        let (now, end) = try status(of: pool) {
            $0.snapshots.contains { $0.ageNanoseconds > 500_000_000 }
        }
        let age = try #require(now.snapshots.first).ageNanoseconds
        try expect(age, from: creation, to: end, "the age of the snapshot")
        let shown = screen("4", of: now)
        #expect(shown.contains("a look back"))
        #expect(shown.contains(HumanUnits.duration(nanoseconds: age)))
        try snapshot.close()
        try pool.close()
    }

    @Test func anInterruptIsReportedOnceWithItsLatency() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try makePool(readers: 1)
        let ended = Mutex<Double?>(nil)
        let endless = Worker {
            defer { ended.withLock { $0 = Moment.clock } }
            try pool.read(as: AccessLabel("endless")) { db in
                _ = try Int.fetchOne(
                    db,
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                        SELECT count(*) FROM n
                        """
                )
            }
        }
        let (running, _) = try status(of: pool) {
            $0.connections.contains {
                $0.state == .statement && $0.sqlNanoseconds ?? 0 > 50_000_000
            }
        }
        let label = try #require(running.connections.first { $0.role == .reader }).label
        var model = DashboardModel()
        let size = Size(width: 160, height: 50)
        _ = model.handle(.resize(size))
        func ingest(_ status: DatabaseStatus, _ sequence: Int) {
            model.ingest(
                Sample(
                    sequence: sequence,
                    time: Double(sequence) / 10,
                    scenario: "by hand",
                    arm: "pool",
                    database: status
                )
            )
        }
        ingest(running, 0)
        _ = model.handle(.key(.end))
        #expect(model.handle(.key(.character("i"))) == [.interrupt(connection: label)])
        let requested = Moment.clock
        #expect(pool.interrupt(connection: label))
        let accepted = Moment.clock
        #expect(throws: DatabaseError.self) { try endless.value() }
        let end = try #require(ended.withLock { $0 })
        let after = pool.status()
        #expect(after.interrupts?.requested == 1)
        #expect(after.interrupts?.delivered == 1)
        #expect(after.interrupts?.withoutEffect == 0)
        let latency = try #require(after.interrupts?.latency)
        #expect(latency.count == 1)
        let most = end - requested + Self.tenth
        #expect((0...most).contains(Double(latency.max) / 1e9))
        #expect(accepted >= requested)

        for sequence in 1...20 { ingest(after, sequence) }
        let overview = model.render(size: size).plainText
        #expect(overview.contains("1 statement ended within"))
        // Show only the events, so that no event is truncated.
        _ = model.handle(.key(.backTab))
        _ = model.handle(.key(.enter))
        let screen = model.render(size: size).plainText
        let text = HumanUnits.duration(nanoseconds: latency.mean)
        let sentence = "\(label): 1 statement ended \(text) after the interrupt"
        #expect(screen.components(separatedBy: sentence).count == 2)
        try pool.close()
    }
}
