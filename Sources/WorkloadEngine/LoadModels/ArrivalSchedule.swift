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
