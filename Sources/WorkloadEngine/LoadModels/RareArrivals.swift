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
