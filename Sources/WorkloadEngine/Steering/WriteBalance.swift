/// How a load is shared out between those who read and those who write, and what has to be scaled
/// for another share.
///
/// Clients with a schedule are counted in arrivals per second, clients without in workers: two
/// groups, each of which keeps its sum.
struct WriteBalance: Sendable {
    /// What a client's load and operations are multiplied by.
    struct Factors: Sendable, Equatable {
        /// For its rate of arrivals or its number of workers.
        var load: Double
        /// The weights of its operations.
        var weights: [Double]

        /// A number of workers times the factor; somebody stays where somebody should.
        func scaled(workers: Int) -> Int {
            guard load > 0 else { return 0 }
            return workers > 0 ? max(1, Int((Double(workers) * load).rounded())) : 0
        }
    }

    /// A client as it counts here.
    private struct Part: Sendable {
        var isOpen: Bool
        /// Its load: arrivals per second, or workers.
        var load: Double
        var weights: [Double]
        var writes: [Bool]

        /// The share of its accesses that write.
        var share: Double {
            let sum = weights.reduce(0, +)
            guard sum > 0 else { return 0 }
            return zip(weights, writes).reduce(0) { $0 + ($1.1 ? $1.0 : 0) } / sum
        }
    }

    /// The clients' parts; nil for those that make no operations.
    private let parts: [Part?]
    /// The weights of all clients' operations, as the scenario says.
    private let weights: [[Double]]
    /// The shares of the two groups as the scenario says; nil for one that cannot be turned.
    private let openShare: Double?
    private let closedShare: Double?

    /// Looks at a run's clients.
    init(_ clients: [ClientPlan]) {
        weights = clients.map(\.weights)
        let parts = clients.map { plan -> Part? in
            guard plan.makesOperations else { return nil }
            return Part(
                isOpen: plan.arrivals != nil,
                load: plan.averageRate ?? Double(plan.client.workers),
                weights: plan.weights,
                writes: plan.writes
            )
        }
        self.parts = parts
        func share(_ isOpen: Bool) -> Double? {
            let group = parts.compactMap { $0 }.filter { $0.isOpen == isOpen }
            let sum = group.reduce(0) { $0 + $1.load }
            guard sum > 0 else { return nil }
            let share = group.reduce(0) { $0 + $1.load * $1.share } / sum
            return share > 0 && share < 1 ? share : nil
        }
        openShare = share(true)
        closedShare = share(false)
    }

    /// The share of the load that writes when `wanted` was asked for; nil where there is nothing
    /// to turn.
    func share(of wanted: Double?) -> Double? {
        guard let own = openShare ?? closedShare else { return nil }
        return wanted ?? own
    }

    /// The share of one client's accesses that write; nil for one that makes no operations.
    func share(of index: Int, at wanted: Double?) -> Double? {
        guard var part = parts[index] else { return nil }
        part.weights = factors(of: index, at: wanted).weights
        return part.share
    }

    /// What one client has to be multiplied by.
    func factors(of index: Int, at wanted: Double?) -> Factors {
        let unchanged = Factors(load: 1, weights: weights[index])
        guard let wanted, let part = parts[index],
            let own = part.isOpen ? openShare : closedShare
        else { return unchanged }
        let write = wanted / own
        let read = (1 - wanted) / (1 - own)
        let load = part.share * write + (1 - part.share) * read
        // A client of one kind keeps its weights: only how much of it there is changes.
        guard part.share > 0, part.share < 1 else {
            return Factors(load: load, weights: part.weights)
        }
        let weights = zip(part.weights, part.writes).map { $0 * ($1 ? write : read) }
        return Factors(load: load, weights: weights)
    }
}
