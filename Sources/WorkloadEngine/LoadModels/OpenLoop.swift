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
