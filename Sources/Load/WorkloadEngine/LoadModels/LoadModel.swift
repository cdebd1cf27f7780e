import Scenarios

/// A type that determines when a worker's accesses start.
///
/// Times are *load times*: nanoseconds since the start of the load, excluding pauses.
protocol LoadModel: Sendable {
    /// Whether accesses follow a schedule.
    ///
    /// A late start of a scheduled access is recorded as lag.
    var isScheduled: Bool { get }

    /// Returns the intended start of a worker's next access if the worker is free at `now`.
    ///
    /// The start may be in the past. Returns `nil` after the last access.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Returns the time of the next access after a change in the load.
    ///
    /// `time` is the last result of ``next(freeAt:)``.
    func rescheduled(_ time: UInt64) -> UInt64
}

extension LoadModel {
    /// Returns `time`, because most changes in the load do not move accesses.
    func rescheduled(_ time: UInt64) -> UInt64 { time }
}

/// A load model in which an access starts after the previous access and a think time have ended.
///
/// A closed loop measures capacity, because a slow database receives fewer accesses. Without a
/// schedule, accesses cannot start late.
struct ClosedLoop: LoadModel {
    /// The end of the load, in load time.
    let end: UInt64
    private let think: ThinkTime
    /// The constant think time, in nanoseconds, or `nil` if the think time is random.
    private let constantThink: UInt64?
    private let windows: ActiveWindows
    private var random: RandomStream?
    private var isFirst = true
    /// The place of the last access in its cell, from 0 to 1, if random think times are so long
    /// that they are stratified.
    private var jitter: Double?

    let isScheduled = false

    /// Creates a loop with a constant think time, in nanoseconds.
    init(think: UInt64, end: UInt64) {
        self.init(think: .constant(.nanoseconds(Int64(clamping: think))), end: end, random: nil)
    }

    /// Creates a loop that starts accesses inside `windows`, before `end`.
    ///
    /// Random think times require `random`.
    init(
        think: ThinkTime,
        end: UInt64,
        windows: ActiveWindows = .always,
        random: RandomStream?
    ) {
        self.think = think
        if case .constant(let duration) = think {
            constantThink = duration.wholeNanoseconds
        } else {
            constantThink = nil
        }
        self.end = end
        self.windows = windows
        self.random = random
        if think.isStratified { jitter = self.random?.nextUnit() }
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        let intended = isFirst ? now : now &+ nextThink()
        isFirst = false
        guard let moment = windows.first(from: intended), moment < end else { return nil }
        return moment
    }

    /// Returns the next think time, in nanoseconds.
    ///
    /// Each mean think time contains one random end, as with ``RareArrivals``.
    private mutating func nextThink() -> UInt64 {
        if let constantThink { return constantThink }
        guard let last = jitter, case .exponential(let mean) = think,
            let next = random?.nextUnit()
        else { return think.nanoseconds(using: &random) }
        jitter = next
        return UInt64(Double(mean.wholeNanoseconds) * (1 + next - last))
    }
}

/// A load model with an access at the end of every period.
///
/// The times are fixed in advance. If an access takes longer than a period, the next access starts
/// late.
struct Periodic: LoadModel {
    /// The time between two accesses, in nanoseconds.
    let period: UInt64
    /// The end of the load, in load time.
    let end: UInt64
    private let windows: ActiveWindows
    /// The load time of the last access.
    private var last: UInt64

    let isScheduled = true

    /// Creates a model with accesses inside `windows` at `start + period`, `start + 2 × period`,
    /// and so on, before `end`.
    init(
        every period: UInt64,
        from start: UInt64,
        until end: UInt64,
        windows: ActiveWindows = .always
    ) {
        self.windows = windows
        self.period = max(1, period)
        self.end = end
        last = start
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        repeat {
            last &+= period
            guard last < end else { return nil }
        } while !windows.contains(last)
        return last
    }
}

/// A load model in which accesses arrive on a schedule, even if no worker is free.
///
/// An arrival waits for an idle worker, and its response time starts at its scheduled time.
/// Latencies therefore include the delay that a stall causes. Measuring from the actual start
/// would hide this delay (*coordinated omission*).
struct OpenLoop: LoadModel {
    let queue: ArrivalQueue
    private var mass = 0.0

    let isScheduled = true

    init(queue: ArrivalQueue) { self.queue = queue }

    /// Returns the time of the next arrival, or `.max` if the load ends first.
    mutating func next(freeAt now: UInt64) -> UInt64? {
        let arrival = queue.take()
        mass = arrival.mass
        return arrival.time ?? .max
    }

    func rescheduled(_ time: UInt64) -> UInt64 { queue.time(ofMass: mass) ?? .max }
}

/// A load model with one access at a fixed load time.
struct OneShot: LoadModel {
    let moment: UInt64
    private var isOver = false

    let isScheduled = true

    init(at moment: UInt64) {
        self.moment = moment
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        guard !isOver else { return nil }
        isOver = true
        return moment
    }
}

extension ThinkTime {
    /// Whether accesses are so rare that their think times are stratified, so that a run of twice
    /// the mean contains an access.
    var isStratified: Bool {
        if case .exponential(let mean) = self { mean >= .seconds(1) } else { false }
    }

    /// The mean of the time.
    var mean: Duration {
        switch self {
        case .constant(let duration), .exponential(let duration): duration
        case .uniform(let range): (range.lowerBound + range.upperBound) / 2
        }
    }

    /// Draws a think time in nanoseconds, or returns 0 without random numbers.
    func nanoseconds(using random: inout RandomStream?) -> UInt64 {
        guard var stream = random else { return 0 }
        defer { random = stream }
        switch self {
        case .constant(let duration):
            return duration.wholeNanoseconds
        case .uniform(let range):
            let minimum = range.lowerBound.wholeNanoseconds
            return minimum + stream.next(below: range.upperBound.wholeNanoseconds - minimum + 1)
        case .exponential(let mean):
            let gap = ExponentialDistribution(rate: 1).next(using: &stream)
            return UInt64(min(gap * Double(mean.wholeNanoseconds), 1e18))
        }
    }
}
