import Telemetry

/// The arrivals that no worker has taken yet.
final class ArrivalQueue: Sendable {
    private let schedule: Lock<ArrivalSchedule>

    init(_ schedule: ArrivalSchedule) {
        self.schedule = Lock(schedule)
    }

    var curve: RateCurve { schedule.withLock { $0.curve } }

    /// Removes the next arrival.
    ///
    /// - Returns: The arrival's mass, and its load time or `nil` if the load ends first.
    func take() -> (mass: Double, time: UInt64?) {
        schedule.withLock { schedule in
            let mass = schedule.nextMass()
            return (mass, schedule.curve.time(ofMass: mass))
        }
    }

    /// Returns the load time of an arrival on the current curve.
    func time(ofMass mass: Double) -> UInt64? {
        schedule.withLock { $0.curve.time(ofMass: mass) }
    }

    /// Changes the rate from `time` onward to that of `curve`, multiplied by `factor`.
    ///
    /// Earlier arrivals are unchanged.
    func steer(from time: UInt64, by curve: RateCurve, times factor: Double) {
        schedule.withLock { schedule in
            schedule.curve = schedule.curve.continued(from: time, by: curve, times: factor)
        }
    }
}

/// A type that counts the due arrivals of a schedule, whether or not workers have taken them.
struct DueArrivals: Sendable {
    private var schedule: ArrivalSchedule
    private var next: Double
    private var count: UInt64 = 0

    init(_ schedule: ArrivalSchedule) {
        self.schedule = schedule
        next = self.schedule.nextMass()
    }

    /// Returns the number of arrivals up to `time` in measured phases, according to the current
    /// curve.
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
