/// The stretches of load time in which a client is at work.
struct ActiveWindows: Sendable, Equatable {
    /// A stretch inside or outside of them, in nanoseconds of load time.
    struct Stretch: Equatable {
        var start: Double
        var end: Double
        var isActive: Bool
    }

    /// The stretches, in order and apart; nil for all the time.
    private let windows: [Range<UInt64>]?

    /// All the time.
    static let always = ActiveWindows(windows: nil)

    private init(windows: [Range<UInt64>]?) { self.windows = windows }

    /// The phases with these names; all of them when there are none.
    init(phases names: [String], of plan: PhasePlan) {
        guard !names.isEmpty else {
            self = .always
            return
        }
        var windows: [Range<UInt64>] = []
        for stretch in plan.stretches where names.contains(stretch.name) {
            if let last = windows.last, last.upperBound == stretch.start {
                windows[windows.count - 1] = last.lowerBound..<stretch.end
            } else {
                windows.append(stretch.start..<stretch.end)
            }
        }
        self.windows = windows
    }

    /// The first moment inside, from a time on; nil when none comes any more.
    @inline(__always)
    func first(from time: UInt64) -> UInt64? {
        guard let windows else { return time }
        for window in windows where time < window.upperBound {
            return max(time, window.lowerBound)
        }
        return nil
    }

    /// Whether a time lies inside.
    func contains(_ time: UInt64) -> Bool { first(from: time) == time }

    /// The parts of a stretch that lie inside and outside, in their order.
    func split(from start: Double, to end: Double) -> [Stretch] {
        guard let windows else { return [Stretch(start: start, end: end, isActive: true)] }
        var parts: [Stretch] = []
        var time = start
        for window in windows {
            let from = max(time, Double(window.lowerBound))
            let to = min(end, Double(window.upperBound))
            guard from < to else { continue }
            if time < from { parts.append(Stretch(start: time, end: from, isActive: false)) }
            parts.append(Stretch(start: from, end: to, isActive: true))
            time = to
        }
        if time < end { parts.append(Stretch(start: time, end: end, isActive: false)) }
        return parts
    }
}
