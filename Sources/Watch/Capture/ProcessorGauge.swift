import CSQLite
import Foundation
import Telemetry
import Text

/// A measurement of how much the threads of the captured programs competed for processors.
package struct ProcessorCompetition: Sendable, Equatable {
    /// The share of the threads' runnable time that was spent waiting, from 0 to 1.
    package var share = 0.0
    /// The mean number of threads that waited.
    package var waitingThreads = 0.0

    package init(share: Double = 0, waitingThreads: Double = 0) {
        self.share = share
        self.waitingThreads = waitingThreads
    }

    /// The minimum share that indicates competition.
    ///
    /// A program that only sleeps and wakes spends less than a fifth of its runnable time waiting.
    private static let minimumShare = 0.25

    /// Returns whether waits for a processor explain the time between statements.
    ///
    /// - Parameters:
    ///   - pauses: The total time between statements, in seconds.
    ///   - duration: The duration of the capture, in seconds.
    /// - Returns: `false` if there was little competition, or if the time is more than twice the
    ///   waits, because the programs then also paused for other reasons.
    func explains(_ pauses: Double, in duration: Double) -> Bool {
        share >= Self.minimumShare && pauses <= 2 * waitingThreads * duration
    }
}

/// The speed of the processors during a capture or a run, from a query that is always the same.
package struct ProcessorSpeed: Sendable, Equatable {
    /// The mean processor time of the query directly after a pause, in seconds.
    let afterPause: Double
    /// The mean processor time of the query directly after itself, in seconds.
    let warm: Double
}

/// What the processors explain of the differences between the times of a capture and of a run.
package struct ProcessorChange: Sendable, Equatable {
    /// The range of the ratios of computing times, in the run and in the capture, that the speed
    /// explains.
    ///
    /// It contains 1.
    var ratios = 1.0...1.0
    /// The time by which work takes longer after a pause, in seconds.
    ///
    /// A processor that was idle runs slowly at first, and its caches have other contents. A program
    /// computes between its pauses and its statements, and a run does not.
    var delay = 0.0
    /// The factor by which work takes longer after a pause, at least 1.
    var slowdown = 1.0

    /// Creates a change that explains nothing.
    package init() {}

    /// Compares the speeds during a capture and a run.
    ///
    /// If one is unknown, nothing is explained.
    package init(captured: ProcessorSpeed?, replayed: ProcessorSpeed?) {
        guard let captured, let replayed,
            min(captured.warm, captured.afterPause, replayed.warm, replayed.afterPause) > 0
        else { return }
        let warm = replayed.warm / captured.warm
        let afterPause = replayed.afterPause / captured.afterPause
        ratios = min(1, warm, afterPause)...max(1, warm, afterPause)
        delay = max(0, replayed.afterPause - replayed.warm)
        slowdown = max(1, replayed.afterPause / replayed.warm)
    }

    /// The numbers, as a sentence.
    var text: String {
        let bounds = [ratios.lowerBound, ratios.upperBound].map(ReportUnits.compact)
        let change =
            bounds[0] == bounds[1]
            ? "as long in the check as in the capture"
            : "\(bounds[0]) to \(bounds[1]) times as long in the check as in the capture"
        return "processors, measured with a fixed query: \(change), and "
            + "\(ReportUnits.compactTime(delay)) longer after a pause; "
            + "differences that this explains count as equal"
    }
}

/// A thread that measures the speed of the processors until it is told to stop.
///
/// It executes the same query twice every 100 ms, and reads its own processor time, so that waits
/// for a processor do not count.
///
/// `@unchecked Sendable` is safe because only the thread uses the connection and the statement, and
/// ``finish()`` waits for its end.
package final class ProcessorGauge: @unchecked Sendable {
    private static let interval = 0.1
    /// The minimum number of measurements.
    private static let minimumCount = 10
    /// The share of the measurements that are used.
    ///
    /// Interrupts and faults lengthen the others.
    private static let usedShare = 0.9
    private static let schema = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER, title TEXT);
        CREATE INDEX item_shop ON item (shop);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO item SELECT i, i % 40, 'item number ' || i FROM n;
        """
    private static let query = "SELECT id, title FROM item WHERE shop = 7 ORDER BY id"

    private var connection: OpaquePointer?
    private var statement: OpaquePointer?
    private let stop = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    private let times = Lock<[(afterPause: UInt64, warm: UInt64)]>([])

    /// Starts measuring.
    package init() {
        let thread = Thread { [self] in
            measure()
            end.signal()
        }
        thread.name = "poolgauge.processors"
        thread.start()
    }

    /// Stops measuring.
    ///
    /// - Returns: The speed, or `nil` if there were too few measurements.
    package func finish() -> ProcessorSpeed? {
        stop.signal()
        end.wait()
        // Another call may follow.
        end.signal()
        return Self.speed(of: times.withLock { $0 })
    }

    /// Returns the mean times, without the longest ones, or `nil` if there are too few.
    static func speed(of times: [(afterPause: UInt64, warm: UInt64)]) -> ProcessorSpeed? {
        guard times.count >= minimumCount else { return nil }
        func mean(_ times: [UInt64]) -> Double {
            let used = times.sorted().prefix(Int(usedShare * Double(times.count)))
            return used.reduce(0) { $0 + Double($1) } / Double(used.count) / 1e9
        }
        return ProcessorSpeed(
            afterPause: mean(times.map(\.afterPause)),
            warm: mean(times.map(\.warm))
        )
    }

    private func measure() {
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK,
            sqlite3_exec(connection, Self.schema, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(connection, Self.query, -1, &statement, nil) == SQLITE_OK
        else { return }
        while stop.wait(timeout: .now() + Self.interval) == .timedOut {
            let start = threadNanoseconds()
            execute()
            let middle = threadNanoseconds()
            execute()
            let end = threadNanoseconds()
            times.withLock { $0.append((middle &- start, end &- middle)) }
        }
    }

    private func execute() {
        while sqlite3_step(statement) == SQLITE_ROW {
            _ = sqlite3_column_int64(statement, 0)
            _ = sqlite3_column_text(statement, 1)
        }
        sqlite3_reset(statement)
    }
}
