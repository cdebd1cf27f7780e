/// A worker for accesses that arrive on a schedule, whether or not a worker is free.
///
/// All workers of the client share the schedule. An arrival waits for an idle worker, and its
/// response time starts at its scheduled time. A stalled database therefore cannot improve its
/// latencies by delaying accesses (*coordinated omission*).
struct OpenLoop: LoadModel {
    /// The schedule that the client's workers share.
    let queue: ArrivalQueue
    /// The mass of the last taken arrival.
    private var mass = 0.0

    let isScheduled = true

    init(queue: ArrivalQueue) { self.queue = queue }

    /// Returns the next arrival, or `.max` if the load ends before it at the current rate.
    mutating func next(freeAt now: UInt64) -> UInt64? {
        let arrival = queue.take()
        mass = arrival.mass
        return arrival.time ?? .max
    }

    func steered(_ moment: UInt64) -> UInt64 { queue.time(ofMass: mass) ?? .max }
}
