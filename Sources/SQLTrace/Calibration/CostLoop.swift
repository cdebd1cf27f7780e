#if os(Linux)
import Glibc

/// A type that measures calls with and without probes in the calibration process.
struct CostLoop {
    let sqlite: SQLiteFunctions

    private static let callCount = 1_000
    private static let roundCount = 5

    /// Returns the durations of a reset, of a step that returns a row, and of the execution of a
    /// short statement by both, in nanoseconds.
    ///
    /// Each result is the fastest of several rounds, because other programs also use the processor.
    func measure() -> (reset: Double, step: Double, execution: Double)? {
        let tenRows = (0..<10).map { "SELECT \($0)" }.joined(separator: " UNION ALL ")
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        var short: OpaquePointer?
        let text =
            "SELECT 1 FROM " + (0..<3).map { "(\(tenRows)) AS t\($0)" }.joined(separator: ", ")
        guard sqlite.open("/dev/null", &connection, 1, nil) == 0, let connection,
            sqlite.prepare(connection, text, -1, &statement, nil) == 0, let statement,
            sqlite.prepare(connection, "SELECT 1", -1, &short, nil) == 0, let short
        else { return nil }
        var best = (reset: Double.infinity, step: Double.infinity, execution: Double.infinity)
        for _ in 0..<Self.roundCount {
            let start = Self.now
            for _ in 0..<Self.callCount { _ = sqlite.reset(statement) }
            let middle = Self.now
            // All steps except the last return a row.
            for _ in 0..<(Self.callCount - 1) { _ = sqlite.step(statement) }
            let end = Self.now
            _ = sqlite.reset(statement)
            let next = Self.now
            for _ in 0..<Self.callCount {
                _ = sqlite.step(short)
                _ = sqlite.reset(short)
            }
            best.execution = min(best.execution, Double(Self.now - next) / Double(Self.callCount))
            best.reset = min(best.reset, Double(middle - start) / Double(Self.callCount))
            best.step = min(best.step, Double(end - middle) / Double(Self.callCount - 1))
        }
        return best
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
#endif
