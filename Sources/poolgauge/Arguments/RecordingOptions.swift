import ArgumentParser
import Foundation
import Recording
import SQLTrace
import WorkloadEngine

/// The options of commands that can record their data.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: "Also record all samples to this file, for 'poolgauge replay' and 'report'.",
        completion: .file()
    )
    var record: String?

    @OptionGroup var limits: RecordingLimitOptions

    func validate() throws {
        if record == nil, limits.isGiven {
            throw ValidationError("--retain and --max-size require --record")
        }
    }

    /// Starts the recording if `--record` was specified.
    ///
    /// - Parameters:
    ///   - info: The description of the session.
    ///   - keepsLiterals: Whether the recorded SQL keeps its literals.
    /// - Returns: The recording, or `nil` without `--record`.
    /// - Throws: ``CommandFailure`` if the file cannot be used for a recording.
    func start(_ info: RecordingInfo, keepsLiterals: Bool) throws -> RecordingSession? {
        try record.map {
            try RecordingSession(
                path: $0,
                limits: limits.limits,
                info: info,
                keepsLiterals: keepsLiterals
            )
        }
    }
}

/// The limits of a recording.
struct RecordingLimitOptions: ParsableArguments {
    @Option(
        help: "Delete recorded samples that are older than this time, such as 48h.",
        transform: TimeArgument.parse
    )
    var retain: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Delete the oldest samples so that the recording stays below this size, such as 500MB."
        ),
        transform: ByteCountArgument.parse
    )
    var maxSize: ByteCountArgument?

    var isGiven: Bool { retain != nil || maxSize != nil }

    var limits: RecordingLimits {
        var limits = RecordingLimits()
        limits.retainNanoseconds = retain.map { $0.duration.wholeNanoseconds }
        limits.maximumBytes = maxSize?.bytes
        return limits
    }

    func validate() throws {
        if let maxSize, maxSize.bytes < RecordingLimits.smallestMaximum {
            throw ValidationError("--max-size must be at least 1MiB")
        }
    }
}

/// The option that determines whether a recording contains the SQL's literals.
struct RecordedSQLOptions: ParsableArguments {
    @Flag(help: "Keep SQL literals in the recording; by default, they are masked.")
    var literals = false
}

/// A size, such as `500MB`.
struct ByteCountArgument {
    var bytes: UInt64

    static func parse(_ text: String) throws -> ByteCountArgument {
        do { return ByteCountArgument(bytes: UInt64(try Quantity.bytes(text))) } catch {
            throw ValidationError(String(describing: error))
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, or 0 if the duration is negative.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
