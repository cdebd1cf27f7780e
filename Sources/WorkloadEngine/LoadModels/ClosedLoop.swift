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
