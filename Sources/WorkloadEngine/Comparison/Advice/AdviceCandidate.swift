/// A change to an arm that may improve its metrics.
struct AdviceCandidate: Sendable, Equatable {
    /// The kind of change.
    ///
    /// The confirmation tests at most one candidate of each kind.
    enum Kind: Sendable, Hashable {
        case readers, structure, journal, cache, memoryMap, busyTimeout, begin, checkpoint
        case logLimit, statistics, synchronous
        case index(String)
        /// Fewer and larger transactions of a client.
        case batch(String)
    }

    var kind: Kind
    /// The arm with the change.
    ///
    /// The arm's name is also the candidate's name.
    var arm: Arm
    /// The scenario line or SQL statement that makes the change.
    var change: String
    /// A cost that the metrics do not show.
    var cost: String
    /// Whether a power failure can lose commits that the current arm would keep.
    var weakensDurability = false
    /// The index of the finding whose cause the change may remove, if any.
    var finding: Int?
    /// Larger transactions of a client, which change the load instead of the arm.
    var batch: WriteBatch?
}

/// Several of a client's write transactions in one.
struct WriteBatch: Sendable, Equatable {
    var client: String
    /// The number of former transactions in each transaction.
    var size: Int

    /// Returns the scenario with the client's larger transactions.
    ///
    /// A schedule has fewer arrivals, so that it writes as many rows.
    func applied(to scenario: Scenario) -> Scenario {
        guard size > 1, let index = scenario.clients.firstIndex(where: { $0.name == client }),
            case .operations(_, var mix) = scenario.clients[index].activity
        else { return scenario }
        for position in mix.indices {
            mix[position].steps = [.times(size, mix[position].steps)]
            mix[position].access = nil
        }
        var scenario = scenario
        scenario.clients[index].activity = .operations(.write, mix: mix)
        if case .open(var arrival) = scenario.clients[index].pace {
            let size = Double(size)
            arrival.rate /= size
            for stage in arrival.stages.indices {
                arrival.stages[stage].from /= size
                arrival.stages[stage].to /= size
            }
            scenario.clients[index].pace = .open(arrival)
        }
        return scenario
    }
}
