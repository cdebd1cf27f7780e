/// A worker of a client whose accesses arrive on a schedule, whether or not somebody is free.
///
/// All workers of the client take from one schedule. An arrival that nobody is free for waits, and
/// its response counts from when it arrived: a stalled database cannot hide by being asked less
/// often (*coordinated omission*).
struct OpenLoop: LoadModel {
    /// The schedule that a client's workers share.
    let queue: ArrivalQueue
    /// The arrival that was taken last.
    private var mass = 0.0

    let isScheduled = true

    /// Creates the load of one worker.
    init(queue: ArrivalQueue) { self.queue = queue }

    /// The next arrival; `.max` for one that does not come before the end, unless somebody turns
    /// the rate.
    mutating func next(freeAt now: UInt64) -> UInt64? {
        let arrival = queue.take()
        mass = arrival.mass
        return arrival.time ?? .max
    }

    func steered(_ moment: UInt64) -> UInt64 { queue.time(ofMass: mass) ?? .max }
}
