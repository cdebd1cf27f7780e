import Scenarios
import Telemetry

/// The arrivals of an open loop, which do not depend on the completion of accesses.
struct ArrivalSchedule: Sendable {
    var curve: RateCurve
    private let process: Arrival.Process
    private let gaps = ExponentialDistribution(rate: 1)
    /// The arrivals of a Poisson process with few arrivals, or `nil` if they are frequent.
    private var rare: RareArrivals?
    private var random: RandomStream
    /// The mass of the last arrival.
    ///
    /// A `Double` represents a count exactly up to 9 × 10¹⁵.
    private var mass = 0.0

    /// Creates a schedule along a curve.
    ///
    /// Equal streams and curves produce equal schedules. With `phases`, each measured part contains
    /// its share of the arrivals of a rare client.
    init(
        _ process: Arrival.Process,
        along curve: RateCurve,
        over phases: PhasePlan? = nil,
        random: RandomStream
    ) {
        self.process = process
        self.curve = curve
        self.random = random
        if process == .poisson, let phases { rare = RareArrivals(along: curve, over: phases) }
    }

    /// Creates a schedule at a constant rate from load time 0 to `end`, in nanoseconds.
    init(_ arrival: Arrival, end: UInt64, random: RandomStream) {
        self.init(
            arrival.process,
            along: RateCurve(rate: arrival.rate, end: end),
            random: random
        )
    }

    /// Returns the mass of the next arrival.
    mutating func nextMass() -> Double {
        if let mass = rare?.nextMass(using: &random) { return mass }
        switch process {
        // Arrivals are counted in mass, because the rounding errors of gaps in time would add up
        // and change the rate.
        case .even: mass += 1
        case .poisson: mass += gaps.next(using: &random)
        }
        return mass
    }

    /// Returns the load time of the next arrival, or `nil` if the load ends first.
    mutating func next() -> UInt64? { curve.time(ofMass: nextMass()) }
}

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

/// The arrivals of a client that is so rare that chance would decide whether a measured part
/// contains one.
///
/// The load is divided into sections: the measured parts, and the parts between them. Each section
/// is divided into as many equal cells of mass as it expects arrivals, and each cell contains one
/// arrival at a random place (a stratified sample). The mean rate is that of the curve, and a
/// section that expects at least one arrival contains at least one, whatever the seed.
struct RareArrivals: Sendable, Equatable {
    /// The rate, in arrivals per second, below which arrivals are rare.
    static let maximumRate = 1.0
    /// The expected number of arrivals in the measured parts below which arrivals are rare.
    ///
    /// With more arrivals, a Poisson process leaves a part empty in at most one of 2,980 runs.
    static let maximumCount = 8.0

    /// The ends of the sections, in mass.
    private let ends: [Double]
    /// The section that contains the current cells, in mass.
    private var start = 0.0
    private var mass = 0.0
    private var section = 0
    private var cell = 0
    private var cells = 0

    /// Creates the arrivals along a curve, or returns `nil` if arrivals are frequent.
    init?(along curve: RateCurve, over phases: PhasePlan) {
        var ends: [Double] = []
        var measured = 0.0
        var last: Bool?
        for phase in phases.all {
            let start = curve.mass(until: phase.start)
            let end = curve.mass(until: phase.end)
            if phase.isMeasured { measured += end - start }
            if phase.isMeasured == last, !ends.isEmpty { ends.removeLast() }
            ends.append(end)
            last = phase.isMeasured
        }
        let isRare =
            curve.maximumRate < Self.maximumRate || measured < Self.maximumCount
        guard isRare else { return nil }
        self.ends = ends
    }

    /// Returns the mass of the next arrival.
    mutating func nextMass(using random: inout RandomStream) -> Double {
        while cell >= cells {
            start += mass
            cell = 0
            guard section < ends.count else {
                // A change in the rate can add arrivals after those that the scenario declares.
                (mass, cells) = (1, 1)
                break
            }
            mass = max(0, ends[section] - start)
            // A rounded length must not remove the only arrival of a section.
            cells = Int((mass + 1e-6 + random.nextUnit()).rounded(.down))
            section += 1
        }
        defer { cell += 1 }
        return start + mass * (Double(cell) + random.nextUnit()) / Double(cells)
    }
}
