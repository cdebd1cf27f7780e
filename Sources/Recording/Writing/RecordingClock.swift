import Foundation
import Telemetry

/// A clock that assigns nondecreasing times to samples, even if the machine's clock is set back.
///
/// A session starts at the wall-clock time and advances with the monotonic clock. The monotonic
/// clock stops while the machine sleeps, so the wall clock moves ahead of the monotonic clock. The
/// assigned times then jump to the wall clock, and the skipped period is a gap.
package struct RecordingClock: Sendable {
    /// The readings of two clocks at the same moment.
    package struct Reading: Sendable, Equatable {
        /// The wall-clock time, in milliseconds since 1970.
        var wall: Int64
        /// The monotonic time, in nanoseconds since an arbitrary moment.
        var monotonic: UInt64

        static var now: Reading {
            Reading(
                wall: Int64((Date().timeIntervalSince1970 * 1000).rounded()),
                monotonic: monotonicNanoseconds()
            )
        }
    }

    /// A period that the assigned times skip, which ends at the next assigned time.
    struct Jump: Sendable, Equatable {
        /// The start of the period, in milliseconds since 1970.
        var start: Int64
        var reason: String
    }

    /// The difference between the clocks above which the times jump, in milliseconds.
    private static let tolerance: Int64 = 2_000

    private var anchor: Reading
    private var last: Int64

    init(start: Reading) {
        anchor = start
        last = start.wall
    }

    /// Returns the time of a reading, in milliseconds since 1970, and the gap before it, if any.
    mutating func time(at reading: Reading) -> (time: Int64, jump: Jump?) {
        let elapsed = Int64(clamping: (reading.monotonic &- anchor.monotonic) / 1_000_000)
        var time = anchor.wall + elapsed
        var jump: Jump?
        if reading.wall - time > Self.tolerance {
            jump = Jump(start: last, reason: "the machine slept, or its clock was set")
            anchor = reading
            time = reading.wall
        }
        time = max(time, last)
        last = time
        return (time, jump)
    }
}
