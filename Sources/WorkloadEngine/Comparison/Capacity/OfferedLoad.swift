import Text

/// The load that a capacity search varies.
///
/// The load consists of the clients with arrivals. Each client keeps its share of the total rate,
/// and the mean rate replaces any stages. If no client has arrivals, the search converts closed
/// loops to arrivals without think time, with the same share for each worker. All other clients
/// remain unchanged and provide background load.
package struct OfferedLoad: Sendable, Equatable {
    /// The origin of the arrivals.
    package enum Origin: String, Sendable, Codable, Equatable {
        /// Arrivals that the scenario declares.
        case open
        /// Closed loops, converted to arrivals.
        case converted
    }

    /// A client with arrivals.
    package struct Part: Sendable, Codable, Equatable {
        /// The client's name.
        package var client: String
        /// The client's share of the arrivals, from 0 to 1.
        package var share: Double
    }

    /// Whether the scenario declares the arrivals.
    package let origin: Origin
    /// The clients with arrivals, in the scenario's order.
    package let parts: [Part]
    /// The unchanged clients, in the scenario's order.
    package let background: [String]
    /// The sum of the declared rates, in accesses/s, or `nil` if the scenario declares no arrivals.
    package let ownRate: Double?
    private let scenario: Scenario

    /// Creates the load of a scenario's clients.
    ///
    /// - Throws: ``RunError`` if no client can have arrivals.
    package init(_ scenario: Scenario) throws(RunError) {
        self.scenario = scenario
        let measured = scenario.measuredDuration
        var loads = scenario.clients.compactMap { client -> (name: String, load: Double)? in
            guard case .open(let arrival) = client.pace else { return nil }
            return (client.name, arrival.meanRate(in: measured))
        }
        origin = loads.isEmpty ? .converted : .open
        if loads.isEmpty {
            loads = scenario.clients.filter(\.canArrive).map { ($0.name, Double($0.workers)) }
        }
        let sum = loads.reduce(0) { $0 + $1.load }
        guard sum > 0 else {
            throw RunError(
                .scenario,
                "\(scenario.name) has no client whose rate can vary; add an arrival to one, "
                    + "such as arrival: {rate: 100/s}"
            )
        }
        parts = loads.map { Part(client: $0.name, share: $0.load / sum) }
        background = scenario.clients.map(\.name).filter { name in
            !loads.contains { $0.name == name }
        }
        ownRate = origin == .open ? sum : nil
    }

    /// Returns the scenario with a total of `rate` arrivals per second.
    package func scenario(at rate: Double) -> Scenario {
        var changed = scenario
        for part in parts {
            guard let index = changed.clients.firstIndex(where: { $0.name == part.client }) else {
                continue
            }
            var arrival = Arrival(rate: rate * part.share)
            if case .open(let schedule) = changed.clients[index].pace {
                arrival.process = schedule.process
                arrival.skipAfter = schedule.skipAfter
            }
            changed.clients[index].pace = .open(arrival)
        }
        return changed
    }

    /// The measured time that contains an access of each unchanged client that holds locks.
    var representativeTime: Duration {
        scenario.clients.filter { background.contains($0.name) && $0.holdsLocks }
            .compactMap { $0.representativeTime(in: scenario) }.max() ?? .zero
    }

    /// A sentence that describes the load.
    package var sentence: String {
        let names = parts.map { part in
            parts.count == 1 ? part.client : "\(part.client) \(ReportUnits.percent(part.share))"
        }.joined(separator: ", ")
        var text =
            origin == .open
            ? "The search varies the arrival rate of \(names)."
            : "No client has arrivals. The search converts the closed loops to arrivals, with the "
                + "same mix, the same share for each worker, and no think time: \(names)."
        if !background.isEmpty {
            text +=
                " Unchanged at every rate: "
                + background.joined(separator: ", ") + "."
        }
        return text
    }
}

extension Client {
    fileprivate var canArrive: Bool {
        guard case .closed = pace, style != .process else { return false }
        switch activity {
        case .operations, .hold, .snapshot: return true
        case .importRows, .interrupt, .action: return false
        }
    }
}

extension Arrival {
    func meanRate(in measured: Duration) -> Double {
        let parts = stages.map { stage in
            (rate: (stage.from + stage.to) / 2, length: stage.length.resolved(in: measured))
        }
        let length = parts.reduce(Duration.zero) { $0 + $1.length }
        guard length > .zero else { return rate }
        return parts.reduce(0) { $0 + $1.rate * ($1.length / length) }
    }
}
