import Text

/// A type that determines whether every rate misses a limit.
///
/// Every rate misses the limit if two runs, one at half the rate of the other, miss it by about the
/// same amount, and if accesses are too rare to wait for one another. Accesses that wait for an
/// unchanged client accumulate; then, runs at a quarter of the rate must miss the limit by about
/// the same amount, and complete all accesses.
struct LatencyFloor {
    private struct Entry {
        var rate: Double
        var miss: CapacityCriteria.Miss
        /// The mean number of concurrent accesses.
        var inFlight: Double
        /// Whether the run completed its accesses at the rate at which they arrived.
        var keepsUp: Bool
        var blame: [String]
    }

    /// Whether a run met all criteria, which proves that a sustained rate exists.
    var hasMetCriteria = false
    private var entries: [Entry] = []

    /// The minimum ratio of two rates for a comparison of their runs.
    ///
    /// The ratio is slightly below 2 to allow for the rounding of halved rates.
    private static let minimumRateRatio = 1.9
    /// The minimum ratio of the value at the lower rate to the value at the higher rate for the
    /// two values to be considered equal.
    private static let minimumEqualRatio = 0.9
    /// The mean number of concurrent accesses up to which accesses rarely wait for one another.
    private static let maximumConcurrency = 0.5
    /// The minimum ratio of two rates, and of the values at them, for accesses that wait for an
    /// unchanged client.
    private static let minimumWideRateRatio = 3.8
    private static let minimumWideEqualRatio = 0.7
    /// The minimum share of arrivals that a run completes if it keeps up with them.
    private static let completedShare = 0.95

    mutating func add(
        _ miss: CapacityCriteria.Miss,
        at rate: Double,
        of run: ArmResult,
        clients: [String]
    ) {
        let totalResponseTime = clients.reduce(0.0) { sum, name in
            let response = run.clients[name]?.response
            return sum + Double(response?.count ?? 0) * Double(response?.mean ?? 0)
        }
        let client = miss.measure?.split(separator: ".").first.map(String.init) ?? ""
        entries.append(
            Entry(
                rate: rate,
                miss: miss,
                inFlight: run.duration > 0 ? totalResponseTime / (run.duration * 1e9) : .infinity,
                keepsUp: clients.allSatisfy { name in
                    guard let client = run.clients[name] else { return false }
                    return Double(client.completed)
                        >= Self.completedShare * Double(client.offered)
                },
                blame: run.blame?[client].map { TextReport.sentences(client, $0) } ?? []
            )
        )
    }

    /// The reason that every rate misses the limit, if this is known.
    var cause: String? {
        guard !hasMetCriteria, let rate = entries.last?.rate else { return nil }
        return entries.lazy.filter { $0.rate == rate }.compactMap(cause).first
    }

    private func cause(_ last: Entry) -> String? {
        guard let measure = last.miss.measure else { return nil }
        // With fewer samples, a lower percentile shows the miss, which is evidence all the more.
        let metric = measure.prefix { $0 != " " }
        func entry(_ rateRatio: Double, _ equalRatio: Double) -> Entry? {
            entries.first { entry in
                entry.miss.measure?.prefix { $0 != " " } == metric
                    && entry.rate >= last.rate * rateRatio
                    && last.miss.observed >= entry.miss.observed * equalRatio
            }
        }
        let entryAtHigherRate =
            last.inFlight <= Self.maximumConcurrency
            ? entry(Self.minimumRateRatio, Self.minimumEqualRatio)
            : last.keepsUp ? entry(Self.minimumWideRateRatio, Self.minimumWideEqualRatio) : nil
        guard let entryAtHigherRate else { return nil }
        let rates =
            "at \(ReportUnits.rate(last.rate)), about the same as at "
            + ReportUnits.rate(entryAtHigherRate.rate)
        let blame = last.blame.map { String($0.drop { $0 == " " }) }.joined(separator: "; ")
        return "\(last.miss.reason) \(rates)" + (blame.isEmpty ? "" : " (\(blame))")
    }
}
