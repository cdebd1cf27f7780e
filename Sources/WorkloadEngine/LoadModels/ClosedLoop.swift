/// A worker that starts its next access when the last one ended and it has thought.
///
/// It finds capacities: a slow database is asked less often. Its accesses have no schedule, so
/// they cannot lag behind one.
struct ClosedLoop: LoadModel {
    /// When the load ends, in load time.
    let end: UInt64
    private let think: ThinkTime
    /// The time of thinking that is always as long, in nanoseconds; nil for one that is drawn.
    private let fixed: UInt64?
    private let windows: ActiveWindows
    private var random: RandomStream?
    private var isFirst = true

    let isScheduled = false

    /// Creates a loop that starts accesses until `end`, and thinks `think` nanoseconds.
    init(think: UInt64, end: UInt64) {
        self.init(think: .constant(.nanoseconds(Int64(clamping: think))), end: end, random: nil)
    }

    /// Creates a loop that starts accesses until `end`, inside of `windows`.
    ///
    /// `random` is needed where thinking takes different times.
    init(
        think: ThinkTime,
        end: UInt64,
        windows: ActiveWindows = .always,
        random: RandomStream?
    ) {
        self.think = think
        if case .constant(let duration) = think {
            fixed = duration.wholeNanoseconds
        } else {
            fixed = nil
        }
        self.end = end
        self.windows = windows
        self.random = random
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        let intended = isFirst ? now : now &+ (fixed ?? think.nanoseconds(using: &random))
        isFirst = false
        guard let moment = windows.first(from: intended), moment < end else { return nil }
        return moment
    }
}
