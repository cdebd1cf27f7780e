import Telemetry

/// A type that schedules the recording of steps in short windows.
///
/// The intervals are random so that windows do not always open in the same phase of a periodic
/// program.
struct TimingWindows {
    enum Action: Equatable {
        /// Record steps.
        case open
        /// Stop timing new statements.
        case drain
        /// Stop recording steps.
        case close
    }

    private enum Phase: Equatable {
        case closed(until: UInt64)
        case open(until: UInt64)
        case draining(until: UInt64)
    }

    private var phase: Phase
    private var random: SplitMix64

    /// The mean interval between two windows, in nanoseconds.
    static let meanInterval: UInt64 = 900_000_000
    /// The length of a window, in nanoseconds.
    static let length: UInt64 = 100_000_000
    /// The number of step events after which a window ends early.
    ///
    /// A buffer holds about 100,000 events.
    static let eventLimit = 40_000
    /// The maximum time to wait after a window for its statements to end, in nanoseconds.
    static let drainTime: UInt64 = 1_000_000_000

    /// The factor for the length and frequency of windows, which is less than 1 if tracing slows
    /// programs too much.
    var share = 1.0

    init(at now: UInt64, seed: UInt64) {
        phase = .closed(until: now)
        random = SplitMix64(seed: seed)
    }

    /// Advances the current window.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - events: The number of step events since the window opened.
    ///   - isTiming: Whether any timed statement is still running.
    /// - Returns: The action to take now, or `nil` for no action.
    mutating func action(at now: UInt64, events: Int, isTiming: Bool) -> Action? {
        switch phase {
        case .closed(let until) where now >= until:
            phase = .open(until: now + UInt64(Double(Self.length) * max(0.05, share)))
            return .open
        case .open(let until) where now >= until || events >= Self.eventLimit:
            phase = .draining(until: now + Self.drainTime)
            return .drain
        case .draining(let until) where now >= until || !isTiming:
            let mean = Double(Self.meanInterval) / max(0.05, share)
            // Half to one and a half times the mean.
            phase = .closed(until: now + UInt64(mean * (0.5 + random.nextUnit())))
            return .close
        default: return nil
        }
    }
}
