/// The arrivals of an open loop, one after another: known before anything runs.
struct ArrivalSchedule: Sendable {
    /// The rate over time.
    var curve: RateCurve
    private let process: Arrival.Process
    private let gaps = ExponentialDistribution(rate: 1)
    private var random: RandomStream
    /// The last arrival's mass, which a double holds exactly up to 9 × 10¹⁵.
    private var mass = 0.0

    /// Creates a schedule along a curve.
    ///
    /// Equal streams and curves give equal schedules.
    init(_ process: Arrival.Process, along curve: RateCurve, random: RandomStream) {
        self.process = process
        self.curve = curve
        self.random = random
    }

    /// Creates a schedule of one rate from load time 0 to `end`, in nanoseconds.
    init(_ arrival: Arrival, end: UInt64, random: RandomStream) {
        self.init(
            arrival.process,
            along: RateCurve(rate: arrival.rate, end: end),
            random: random
        )
    }

    /// The mass of the next arrival: how many the curve promises before it.
    mutating func nextMass() -> Double {
        switch process {
        // Counted, not added up from gaps: a rounded gap must not shift the rate.
        case .even: mass += 1
        case .poisson: mass += gaps.next(using: &random)
        }
        return mass
    }

    /// The next arrival, in load time; nil when the load ends before it.
    mutating func next() -> UInt64? { curve.time(ofMass: nextMass()) }
}
