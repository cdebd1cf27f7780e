/// A worker that makes one access at a fixed time.
struct OneShot: LoadModel {
    /// The time of the access, in load time.
    let moment: UInt64
    private var isOver = false

    let isScheduled = true

    /// Creates a model with one access at a load time.
    init(at moment: UInt64) {
        self.moment = moment
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        guard !isOver else { return nil }
        isOver = true
        return moment
    }
}
