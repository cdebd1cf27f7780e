/// The intervals of load time during which a client is active.
struct ActiveWindows: Sendable, Equatable {
    /// An interval inside or outside the windows, in nanoseconds of load time.
    struct Segment: Equatable {
        var start: Double
        var end: Double
        var isActive: Bool
    }

    /// The intervals, in order and without overlaps, or `nil` if the client is always active.
    private let windows: [Range<UInt64>]?

    static let always = ActiveWindows(windows: nil)

    private init(windows: [Range<UInt64>]?) { self.windows = windows }

    /// Creates windows that cover the named phases, or all phases if `names` is empty.
    init(phases names: [String], of plan: PhasePlan) {
        guard !names.isEmpty else {
            self = .always
            return
        }
        var windows: [Range<UInt64>] = []
        for phase in plan.all where names.contains(phase.name) {
            if let last = windows.last, last.upperBound == phase.start {
                windows[windows.count - 1] = last.lowerBound..<phase.end
            } else {
                windows.append(phase.start..<phase.end)
            }
        }
        self.windows = windows
    }

    /// Returns the first active time at or after `time`, or `nil` after the last window.
    @inline(__always)
    func first(from time: UInt64) -> UInt64? {
        guard let windows else { return time }
        for window in windows where time < window.upperBound {
            return max(time, window.lowerBound)
        }
        return nil
    }

    func contains(_ time: UInt64) -> Bool { first(from: time) == time }

    /// Divides an interval into segments that are entirely inside or outside the windows.
    func split(from start: Double, to end: Double) -> [Segment] {
        guard let windows else { return [Segment(start: start, end: end, isActive: true)] }
        var parts: [Segment] = []
        var time = start
        for window in windows {
            let from = max(time, Double(window.lowerBound))
            let to = min(end, Double(window.upperBound))
            guard from < to else { continue }
            if time < from { parts.append(Segment(start: time, end: from, isActive: false)) }
            parts.append(Segment(start: from, end: to, isActive: true))
            time = to
        }
        if time < end { parts.append(Segment(start: time, end: end, isActive: false)) }
        return parts
    }
}
