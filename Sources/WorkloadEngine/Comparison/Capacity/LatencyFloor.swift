/// Decides whether every rate misses a limit.
///
/// This is the case if two runs miss it by about the same amount although one has half the
/// arrivals, and if accesses are too rare to wait for each other.
struct LatencyFloor {
    private struct Entry {
        var rate: Double
        var miss: CapacityCriteria.Miss
        var inFlight: Double
        var blame: [String]
    }

    /// Whether a run met all criteria, so that a sustained rate exists.
    var hasMet = false
    private var entries: [Entry] = []

    /// The smallest ratio of two rates that shows whether the rate matters; slightly below 2, so
    /// that halved rates count after rounding.
    private static let spread = 1.9
    /// Two values count as equal if the smaller is at least this share of the other.
    private static let sameShare = 0.9
    /// With at most this many accesses in progress on average, they rarely wait for each other.
    private static let fewInFlight = 0.5

    /// Adds a run that missed a limit.
    mutating func add(
        _ miss: CapacityCriteria.Miss,
        at rate: Double,
        of run: ArmResult,
        clients: [String]
    ) {
        let busy = clients.reduce(0.0) { sum, name in
            let response = run.clients[name]?.response
            return sum + Double(response?.count ?? 0) * Double(response?.mean ?? 0)
        }
        let client = miss.measure?.split(separator: ".").first.map(String.init) ?? ""
        entries.append(
            Entry(
                rate: rate,
                miss: miss,
                inFlight: run.duration > 0 ? busy / (run.duration * 1e9) : .infinity,
                blame: run.blame?[client].map { TextReport.sentences(client, $0) } ?? []
            )
        )
    }

    /// Why no rate meets the limit; nil while a rate may meet it.
    var cause: String? {
        guard !hasMet, let last = entries.last, last.inFlight <= Self.fewInFlight,
            let measure = last.miss.measure
        else { return nil }
        let other = entries.first { entry in
            entry.miss.measure == measure && entry.rate >= last.rate * Self.spread
                && last.miss.observed >= entry.miss.observed * Self.sameShare
        }
        guard let other else { return nil }
        let rates = "at \(HumanUnits.rate(last.rate)) as at \(HumanUnits.rate(other.rate))"
        let blame = last.blame.map { String($0.drop { $0 == " " }) }.joined(separator: "; ")
        return "\(last.miss.reason) \(rates)" + (blame.isEmpty ? "" : " (\(blame))")
    }
}
