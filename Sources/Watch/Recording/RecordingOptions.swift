import Foundation
import Telemetry

/// The limits of a recording.
package struct RecordingLimits: Sendable, Equatable {
    /// The maximum age of samples, in nanoseconds, or `nil` to keep all samples.
    package var retainNanoseconds: UInt64?
    /// The maximum size of the file and its log together, in bytes, or `nil` for no limit.
    package var maximumBytes: UInt64?

    /// The smallest valid value of ``maximumBytes``.
    ///
    /// This size has room for a few samples with hundreds of connections.
    package static let smallestMaximum: UInt64 = 1 << 20

    /// The longest time that a part covers, in milliseconds.
    ///
    /// A part is deleted as a whole, and begins with complete samples.
    static let partMilliseconds: Int64 = 60_000

    package init() {}

    /// The total size of samples at which a part is complete, in bytes.
    ///
    /// To delete a part, SQLite first writes the changed pages to the log. Small parts therefore
    /// keep the log small.
    var partBytes: Int { maximumBytes.map { Int($0 / 32) } ?? 8 << 20 }

    /// The log size that triggers a checkpoint, in pages.
    var checkpointPages: Int {
        maximumBytes.map { min(256, max(8, Int($0 / 32) / RecordingSchema.pageSize)) } ?? 256
    }

    /// The maximum size of the file after a commit, in bytes.
    ///
    /// The remaining space is for the log, which may contain several times ``checkpointPages``.
    var fileBytes: UInt64? { maximumBytes.map { $0 - $0 / 4 } }
}

/// The description of a session of a recording.
package struct RecordingInfo: Sendable, Equatable {
    package var kind: RecordedKind
    /// The version of the tool.
    package var tool: String
    /// The name of the scenario, or the target of the watch.
    package var title: String
    /// The text of the scenario, if any.
    package var scenario: String?
    /// The machine and the versions of libraries, as JSON.
    package var environment: String?

    package init(kind: RecordedKind, tool: String, title: String) {
        self.kind = kind
        self.tool = tool
        self.title = title
    }
}

/// An entry to write.
enum RecordingEntry: Sendable {
    case sample(RecordedValue, milliseconds: Int64)
    case gap(source: String?, start: Int64, end: Int64, reason: String)
    case result(json: String)
    /// The event for which an ``EpisodeRecorder`` records.
    case event(source: String, milliseconds: Int64, message: String)
}

/// A summary of a recorded session.
package struct RecordingSummary: Sendable, Equatable {
    package var path: String
    /// The time from the first to the last sample of the session, in seconds.
    package var seconds: Double = 0
    package var samples: Int = 0
    /// The size of the file, in bytes.
    package var bytes: UInt64 = 0
    /// The bytes that the session added per hour, or `nil` if the session is too short.
    package var bytesPerHour: UInt64?
    /// Whether part of the session is in the log, because another program had the recording open at
    /// the end.
    package var keepsLog = false
    /// The reason that the recording ended early, or `nil` if it did not.
    package var failure: String?
}

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
