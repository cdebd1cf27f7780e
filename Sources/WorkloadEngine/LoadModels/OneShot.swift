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
