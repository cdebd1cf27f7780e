import Telemetry

/// A worker of a client whose accesses arrive on a schedule, whether or not somebody is free.
///
/// All workers of the client take from one schedule. An arrival that nobody is free for waits, and
/// its response counts from when it arrived: a stalled database cannot hide by being asked less
/// often (*coordinated omission*).
struct OpenLoop: LoadModel {
    /// The schedule that a client's workers share.
    let queue: ArrivalQueue

    let isScheduled = true

    mutating func next(freeAt now: UInt64) -> UInt64? {
        queue.take()
    }
}

/// Counts the arrivals of a schedule whose time has come, whether or not somebody took them.
struct DueArrivals: Sendable {
    private var schedule: ArrivalSchedule
    private var next: UInt64?
    private var count: UInt64 = 0

    /// Counts the arrivals of a schedule of its own, equal to the one that is taken from.
    init(_ schedule: ArrivalSchedule) {
        self.schedule = schedule
        next = self.schedule.next()
    }

    /// How many arrivals of measured phases came up to a time.
    mutating func count(until time: UInt64, in phases: PhasePlan) -> UInt64 {
        while let arrival = next, arrival <= time {
            if phases.isMeasured(at: arrival) { count += 1 }
            next = schedule.next()
        }
        return count
    }
}

/// The arrivals that no worker took yet.
final class ArrivalQueue: Sendable {
    private let schedule: Lock<ArrivalSchedule>

    /// Creates a queue of all arrivals of a schedule.
    init(_ schedule: ArrivalSchedule) {
        self.schedule = Lock(schedule)
    }

    /// Takes the next arrival, in load time; nil when none comes any more.
    func take() -> UInt64? {
        schedule.withLock { $0.next() }
    }
}
