import CSQLite
import Foundation
import SQLiteEngine
import Scenarios
import Synchronization
import Telemetry
import Testing

@testable import EngineTarget

/// Tests the pauses of busy handlers in simulated time.
@Suite(.timeLimit(.minutes(1)))
struct BusyWaitTests {
    /// A clock that advances only during pauses, and a log of the pauses in milliseconds.
    private final class Pauses: Sendable {
        private let state = Lock((now: UInt64(7), pauses: [Double]()))

        var list: [Double] { state.withLock { $0.pauses } }

        var timing: BusyWait.Timing {
            BusyWait.Timing(
                now: { self.state.withLock { $0.now } },
                sleep: { pause in
                    self.state.withLock { state in
                        state.now += pause
                        state.pauses.append(Double(pause) / 1e6)
                    }
                }
            )
        }
    }

    @Test(arguments: [
        (BusyRetry?.none, [1.0, 2, 5, 10, 15, 17]), (.backoff, [1, 2, 5, 10, 15, 17]),
        (.fixed(.milliseconds(1)), Array(repeating: 1, count: 50)),
        (.fixed(.microseconds(12_500)), [12.5, 12.5, 12.5, 12.5]),
        (.fixed(.milliseconds(20)), [20, 20, 20]),
    ])
    func thePausesFollowTheArm(retry: BusyRetry?, pauses: [Double]) {
        let recorded = Pauses()
        let wait = BusyWait(timeout: .milliseconds(50), retry: retry, timing: recorded.timing)
        var tries = 0
        while wait.handle(tries: tries) { tries += 1 }
        #expect(recorded.list == pauses)
        let result = wait.take()
        #expect(result.didStopRetrying && result.timeout == 50_000_000)
        #expect(result.nanoseconds == UInt64((pauses.reduce(0, +) * 1e6).rounded()))
    }

    @Test func withoutATimeoutTheHandlerGivesUpImmediately() {
        let recorded = Pauses()
        let wait = BusyWait(timeout: .zero, retry: nil, timing: recorded.timing)
        #expect(!wait.handle(tries: 0))
        #expect(recorded.list.isEmpty)
        #expect(wait.takeHandler() == .gaveUp(waited: 0, timeout: 0))
    }

    /// Successful waits and the waits of earlier statements do not contribute to a failure.
    @Test func onlyTheWaitOfTheFailedStatementIsReported() {
        let wait = BusyWait(
            timeout: .milliseconds(2),
            retry: .fixed(.milliseconds(1)),
            timing: Pauses().timing
        )
        #expect(wait.handle(tries: 0))
        #expect(wait.takeHandler() == .skipped)
        var tries = 0
        while wait.handle(tries: tries) { tries += 1 }
        wait.begin()
        #expect(wait.takeHandler() == .skipped)
    }

    /// SQLite calls the handler while another connection holds a lock on the file.
    @Test func sqliteWaitsWithFixedPauses() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-wait-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("database.sqlite").path
        let holder = try RawConnection(path: path)
        defer { holder.close() }
        try holder.run("BEGIN IMMEDIATE", [])
        let recorded = Pauses()
        let wait = BusyWait(
            timeout: .milliseconds(30),
            retry: .fixed(.milliseconds(1)),
            timing: recorded.timing
        )
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        wait.install(on: connection)
        #expect(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_BUSY)
        #expect(recorded.list == Array(repeating: 1, count: 30))
        #expect(wait.takeHandler() == .gaveUp(waited: 30_000_000, timeout: 30_000_000))
    }
}
