#if os(Linux)
import Glibc

/// A type that measures calls of a library in this process, with and without probes.
struct CostLoop {
    private typealias Function = @convention(c) (UInt64) -> Int32

    let sqlite: SQLiteFunctions

    private static let callCount = 1_000
    private static let roundCount = 5

    /// Returns the durations of a reset, of a step that returns a row, and of the execution of a
    /// short statement by both, in nanoseconds.
    ///
    /// Each result is the fastest of several rounds, because other programs also use the processor.
    func measure() -> (reset: Double, step: Double, execution: Double)? {
        let tenRows = (0..<10).map { "SELECT \($0)" }.joined(separator: " UNION ALL ")
        let text =
            "SELECT 1 FROM " + (0..<3).map { "(\(tenRows)) AS t\($0)" }.joined(separator: ", ")
        guard let connection = sqlite.open("/dev/null"),
            let statement = sqlite.prepare(connection, text).statement,
            let short = sqlite.prepare(connection, "SELECT 1").statement,
            let resetAddress = UnsafeRawPointer(bitPattern: UInt(sqlite.address("reset"))),
            let stepAddress = UnsafeRawPointer(bitPattern: UInt(sqlite.address("step")))
        else { return nil }
        let reset = unsafeBitCast(resetAddress, to: Function.self)
        let step = unsafeBitCast(stepAddress, to: Function.self)
        var best = (reset: Double.infinity, step: Double.infinity, execution: Double.infinity)
        for _ in 0..<Self.roundCount {
            let start = Self.now
            for _ in 0..<Self.callCount { _ = reset(statement) }
            let middle = Self.now
            // All steps except the last return a row.
            for _ in 0..<(Self.callCount - 1) { _ = step(statement) }
            let end = Self.now
            _ = reset(statement)
            let next = Self.now
            for _ in 0..<Self.callCount {
                _ = step(short)
                _ = reset(short)
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
