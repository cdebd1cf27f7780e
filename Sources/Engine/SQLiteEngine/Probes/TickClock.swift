import CSQLite
import Foundation
import Telemetry

/// A clock that reads the processor's time-stamp counter instead of calling `clock_gettime`.
///
/// The clock determines the counter's rate itself, and is set by the monotonic clock at least every
/// millisecond. The two therefore differ by about a microsecond. While the system changes the rate of
/// the monotonic clock, they differ by that change within a millisecond, after which this clock
/// determines the rate again. This clock may go back by as much, so do not subtract its times without
/// comparing them. If the kernel does not use the processor's counter as its own clock, this clock is
/// the monotonic clock.
struct TickClock {
    /// The number of nanoseconds for which the counter is used after a reading of the monotonic
    /// clock.
    private static let span = 1e6
    /// The duration of a determination of the rate, in nanoseconds.
    ///
    /// An uncertainty of 100 ns at both ends changes the rate by 0.001%.
    private static let calibration: ClosedRange<UInt64> = 20_000_000...1_000_000_000
    /// The longest duration of a reading of both clocks, in nanoseconds.
    ///
    /// If a thread is interrupted between the readings, they do not belong together.
    private static let longestReading = 1_000.0

    /// Whether the kernel has found that the counters of all cores run at one constant rate.
    ///
    /// Some systems do not permit to read the counter, so the kernel's clock comes first.
    private static let isSupported: Bool = {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        guard let source = try? String(contentsOfFile: path, encoding: .ascii) else { return false }
        return source.hasPrefix("tsc") && poolgauge_ticks() != 0
    }()

    /// The last readings of both clocks, and the readings at the start of the calibration.
    private var last: (ticks: UInt64, time: UInt64) = (0, 0)
    private var origin: (ticks: UInt64, time: UInt64) = (0, 0)
    /// The number of nanoseconds per tick according to the last calibration, or 0.
    private var rate = 0.0
    /// ``rate`` times 2³², or 0 until two calibrations agree.
    private var factor: UInt64 = 0
    /// The number of ticks after ``last`` for which the counter is used, or 0.
    private var range: UInt64 = 0

    /// Returns the time in nanoseconds on the monotonic clock.
    @inline(__always)
    mutating func now() -> UInt64 {
        guard range != 0 else { return readClock() }
        let elapsed = poolgauge_ticks() &- last.ticks
        // A counter that went back exceeds the range too.
        guard elapsed < range else { return readClock() }
        return last.time &+ (elapsed &* factor) >> 32
    }

    @inline(never)
    private mutating func readClock() -> UInt64 {
        guard Self.isSupported else { return monotonicNanoseconds() }
        let before = poolgauge_ticks()
        let time = monotonicNanoseconds()
        let duration = poolgauge_ticks() &- before
        guard Double(duration) * rate < Self.longestReading else {
            range = 0
            return time
        }
        let reading = (ticks: before &+ duration / 2, time: time)
        if factor != 0, !agrees(reading) { stop() }
        last = reading
        let elapsed = time &- origin.time
        if elapsed > Self.calibration.upperBound {
            origin = last
        } else if elapsed >= Self.calibration.lowerBound {
            calibrate(Double(elapsed) / Double(last.ticks &- origin.ticks))
        }
        range = factor == 0 ? 0 : UInt64(Self.span / rate)
        return time
    }

    /// Whether a reading agrees with the last one, unless that is too old to tell.
    private func agrees(_ reading: (ticks: UInt64, time: UInt64)) -> Bool {
        let elapsed = Double(reading.time &- last.time)
        guard elapsed < Double(Self.calibration.lowerBound) else { return true }
        let error = abs(Double(reading.ticks &- last.ticks) * rate - elapsed)
        return error < Self.longestReading + elapsed / 2_000
    }

    /// Uses the counter if two consecutive calibrations agree.
    ///
    /// They disagree if the computer slept, because only the counter continues then.
    private mutating func calibrate(_ newRate: Double) {
        guard (0.01...100).contains(newRate) else { return stop() }
        factor = abs(newRate - rate) < newRate / 1_000 ? UInt64(newRate * 0x1p32) : 0
        rate = newRate
        origin = last
    }

    /// Stops using the counter until two calibrations agree.
    private mutating func stop() {
        rate = 0
        factor = 0
        origin = (0, 0)
    }
}
