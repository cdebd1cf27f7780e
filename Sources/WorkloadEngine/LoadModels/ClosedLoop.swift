/// A worker that starts its next access when the last one ended and it has thought.
///
/// It finds capacities: a slow database is asked less often. Its accesses have no schedule, so
/// they cannot lag behind one.
struct ClosedLoop: LoadModel {
    /// How long it thinks after an access, in nanoseconds.
    let think: UInt64
    /// When the load ends, in load time.
    let end: UInt64
    private var isFirst = true

    let isScheduled = false

    /// Creates a loop that starts accesses until `end`.
    init(think: UInt64, end: UInt64) {
        self.think = think
        self.end = end
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        let intended = isFirst ? now : now &+ think
        isFirst = false
        return intended < end ? intended : nil
    }
}
