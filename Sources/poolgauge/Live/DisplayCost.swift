#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the thread of the display uses: its share of one CPU, once a second, and all in all.
struct DisplayCost {
    /// The share over the last second, in 0…1; nil in the first one.
    private(set) var share: Double?

    private let began = MonotonicTime.now
    private let cpuBefore = DisplayCost.threadTime
    private var wall = MonotonicTime.now
    private var cpu = DisplayCost.threadTime
    private var frames = 0
    private var frameTime: UInt64 = 0
    private var longestFrame: UInt64 = 0
    private var report: Report?

    /// What a display used from its beginning to its end.
    struct Report: Encodable, Equatable {
        /// How long it was shown.
        var seconds: Double
        /// How often it was drawn.
        var frames: Int
        /// The time of the CPU that its thread used.
        var cpuSeconds: Double
        /// The share of one CPU, in 0…1.
        var cpuShare: Double
        /// What drawing took on average, waiting for the terminal included.
        var meanFrameMicroseconds: Double
        /// What drawing took at most.
        var longestFrameMicroseconds: Double
        /// What went to the terminal; nil where nobody counts.
        var bytes: UInt64?
        /// What went to the terminal in a second.
        var bytesPerSecond: Double?
    }

    /// Looks at the clocks, if a second has passed.
    mutating func update(now: UInt64) {
        guard now &- wall >= 1_000_000_000 else { return }
        let used = Self.threadTime
        share = Double(used &- cpu) / Double(now &- wall)
        wall = now
        cpu = used
    }

    /// Counts a frame that took so long.
    mutating func countFrame(nanoseconds: UInt64) {
        frames += 1
        frameTime += nanoseconds
        longestFrame = max(longestFrame, nanoseconds)
    }

    /// The display is over, after so many bytes; only the first time counts.
    mutating func end(bytes: UInt64?) {
        guard report == nil else { return }
        let seconds = Double(MonotonicTime.now &- began) / 1e9
        let cpuSeconds = Double(Self.threadTime &- cpuBefore) / 1e9
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

    /// What was used, once it is over.
    var total: Report? { report }

    private static var threadTime: UInt64 { MonotonicTime.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock that nobody sets.
enum MonotonicTime {
    /// Nanoseconds since an arbitrary moment.
    static var now: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

    fileprivate static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
