/// Decides whether a limit is missed at any rate: two runs miss it alike, though one of them has
/// half the arrivals, and these are so few that they do not meet each other.
struct LatencyFloor {
    private struct Entry {
        var rate: Double
        var miss: CapacityCriteria.Miss
        var inFlight: Double
        var blame: [String]
    }

    /// Whether a run met all criteria: then there is a rate.
    var hasMet = false
    private var entries: [Entry] = []

    /// The ratio of two rates that can tell whether the rate matters; a little below 2, so that
    /// halved rates count after rounding.
    private static let spread = 1.9
    /// A value that is no smaller than this share of the other is the same.
    private static let sameShare = 0.9
    /// With at most so many accesses in progress on average, they rarely wait for each other.
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

    /// Why no rate meets the limit; nil while one may.
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
