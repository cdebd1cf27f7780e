#if canImport(Glibc)
import Glibc
import Telemetry
#else
import Darwin
#endif

/// The CPU time of the display's thread, per second and in total.
struct DisplayCost {
    /// The share of one CPU in the last second, from 0 through 1, or `nil` during the first second.
    private(set) var share: Double?

    private let startTime = monotonicNanoseconds()
    private let startCPUTime = DisplayCost.threadTime
    private var lastUpdate = monotonicNanoseconds()
    private var cpuTimeAtLastUpdate = DisplayCost.threadTime
    private var frames = 0
    private var frameTime: UInt64 = 0
    private var longestFrame: UInt64 = 0
    private var report: Report?

    struct Report: Encodable, Equatable {
        /// The time for which the display was shown, in seconds.
        var seconds: Double
        var frames: Int
        /// The CPU time of the display's thread, in seconds.
        var cpuSeconds: Double
        /// The share of one CPU, from 0 through 1.
        var cpuShare: Double
        /// The mean time to draw a frame, including waits for the terminal, in microseconds.
        var meanFrameMicroseconds: Double
        /// The longest time to draw a frame, in microseconds.
        var longestFrameMicroseconds: Double
        /// The number of bytes written to the terminal, or `nil` if bytes are not counted.
        var bytes: UInt64?
        var bytesPerSecond: Double?
    }

    mutating func update(now: UInt64) {
        guard now &- lastUpdate >= 1_000_000_000 else { return }
        let currentCPUTime = Self.threadTime
        share = Double(currentCPUTime &- cpuTimeAtLastUpdate) / Double(now &- lastUpdate)
        lastUpdate = now
        cpuTimeAtLastUpdate = currentCPUTime
    }

    mutating func countFrame(nanoseconds: UInt64) {
        frames += 1
        frameTime += nanoseconds
        longestFrame = max(longestFrame, nanoseconds)
    }

    /// Records that the display has ended.
    ///
    /// Later calls have no effect.
    mutating func end(bytes: UInt64?) {
        guard report == nil else { return }
        let seconds = Double(monotonicNanoseconds() &- startTime) / 1e9
        let cpuSeconds = Double(Self.threadTime &- startCPUTime) / 1e9
        report = Report(
            seconds: seconds,
            frames: frames,
            cpuSeconds: cpuSeconds,
            cpuShare: cpuSeconds / max(seconds, 1e-9),
            meanFrameMicroseconds: Double(frameTime) / 1e3 / Double(max(frames, 1)),
            longestFrameMicroseconds: Double(longestFrame) / 1e3,
            bytes: bytes,
            bytesPerSecond: bytes.map { Double($0) / max(seconds, 1e-9) }
        )
    }

    /// The total cost, or `nil` before the display ends.
    var total: Report? { report }

    private static var threadTime: UInt64 { threadNanoseconds() }
}
