/// A type that calculates the factors that change the share of writes in a load.
///
/// The factors preserve the total load of the open loops, in arrivals per second, and the total
/// load of the closed loops, in workers.
struct WriteBalance: Sendable {
    struct Factors: Sendable, Equatable {
        /// The factor for the client's arrival rate or number of workers.
        var load: Double
        var weights: [Double]

        /// Scales a number of workers.
        ///
        /// At least one worker remains unless the factor is 0.
        func scaled(workers: Int) -> Int {
            guard load > 0 else { return 0 }
            return workers > 0 ? max(1, Int((Double(workers) * load).rounded())) : 0
        }
    }

    private struct Part: Sendable {
        var isOpen: Bool
        /// The load, in arrivals per second or in workers.
        var load: Double
        var weights: [Double]
        var writes: [Bool]

        var share: Double {
            let sum = weights.reduce(0, +)
            guard sum > 0 else { return 0 }
            return zip(weights, writes).reduce(0) { $0 + ($1.1 ? $1.0 : 0) } / sum
        }
    }

    private let parts: [Part?]
    private let weights: [[Double]]
    /// The declared share of writes in the open loops, or `nil` if this share cannot change.
    private let openShare: Double?
    /// The declared share of writes in the closed loops, or `nil` if this share cannot change.
    private let closedShare: Double?

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

    /// Returns the requested share of writes, or the declared share if `requested` is `nil`.
    ///
    /// The result is `nil` if the share cannot change.
    func share(of requested: Double?) -> Double? {
        guard let declared = openShare ?? closedShare else { return nil }
        return requested ?? declared
    }

    /// Returns a client's share of writes, or `nil` for a client without operations.
    func share(of index: Int, at requested: Double?) -> Double? {
        guard var part = parts[index] else { return nil }
        part.weights = factors(of: index, at: requested).weights
        return part.share
    }

    func factors(of index: Int, at requested: Double?) -> Factors {
        let unchanged = Factors(load: 1, weights: weights[index])
        guard let requested, let part = parts[index],
            let declared = part.isOpen ? openShare : closedShare
        else { return unchanged }
        let write = requested / declared
        let read = (1 - requested) / (1 - declared)
        let load = part.share * write + (1 - part.share) * read
        // A client with only reads or only writes keeps its weights. Only its load changes.
        guard part.share > 0, part.share < 1 else {
            return Factors(load: load, weights: part.weights)
        }
        let weights = zip(part.weights, part.writes).map { $0 * ($1 ? write : read) }
        return Factors(load: load, weights: weights)
    }
}
