/// A worker that does its access once, at a moment.
struct OneShot: LoadModel {
    /// The moment, in load time.
    let moment: UInt64
    private var isOver = false

    let isScheduled = true

    /// Creates a load of one access at `moment`, in load time.
    init(at moment: UInt64) {
        self.moment = moment
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        guard !isOver else { return nil }
        isOver = true
        return moment
    }
}
