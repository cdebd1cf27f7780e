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
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        let intended = isFirst ? now : now &+ (constantThink ?? think.nanoseconds(using: &random))
        isFirst = false
        guard let moment = windows.first(from: intended), moment < end else { return nil }
        return moment
    }
}
