import Telemetry

/// The arrivals that no worker took yet.
final class ArrivalQueue: Sendable {
    private let schedule: Lock<ArrivalSchedule>

    /// Creates a queue of all arrivals of a schedule.
    init(_ schedule: ArrivalSchedule) {
        self.schedule = Lock(schedule)
    }

    /// The rate over time, as it stands now.
    var curve: RateCurve { schedule.withLock { $0.curve } }

    /// Takes the next arrival: its mass, and its moment in load time; nil when the load ends before.
    func take() -> (mass: Double, time: UInt64?) {
        schedule.withLock { schedule in
            let mass = schedule.nextMass()
            return (mass, schedule.curve.time(ofMass: mass))
        }
    }

    /// The moment of an arrival that was taken, as the curve is now.
    func time(ofMass mass: Double) -> UInt64? {
        schedule.withLock { $0.curve.time(ofMass: mass) }
    }

    /// Changes the rate from a time on; arrivals before it stay where they are.
    func steer(from time: UInt64, by curve: RateCurve, times factor: Double) {
        schedule.withLock { schedule in
            schedule.curve = schedule.curve.continued(from: time, by: curve, times: factor)
        }
    }
}

/// Counts the arrivals of a schedule whose time has come, whether or not somebody took them.
struct DueArrivals: Sendable {
    private var schedule: ArrivalSchedule
    private var next: Double
    private var count: UInt64 = 0

    /// Counts the arrivals of a schedule of its own, equal to the one that is taken from.
    init(_ schedule: ArrivalSchedule) {
        self.schedule = schedule
        next = self.schedule.nextMass()
    }

    /// How many arrivals of measured phases came up to a time, along the curve as it is now.
    mutating func count(until time: UInt64, in phases: PhasePlan, along curve: RateCurve) -> UInt64
    {
        schedule.curve = curve
        while let arrival = curve.time(ofMass: next), arrival <= time {
            if phases.isMeasured(at: arrival) { count += 1 }
            next = schedule.nextMass()
        }
        return count
    }
}
