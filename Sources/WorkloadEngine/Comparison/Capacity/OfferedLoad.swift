/// The part of a scenario's load whose rate a search turns: the clients that arrive, in the
/// proportions that the scenario gives them.
///
/// Clients that arrive keep their shares of the sum, and a rate in stages becomes its mean. Where
/// no client arrives, those in closed loops are made to: each worker stands for the same share of
/// the arrivals, without thinking. All other clients stay as they are: the background.
public struct OfferedLoad: Sendable, Equatable {
    /// Where the arrivals come from.
    public enum Origin: String, Sendable, Codable, Equatable {
        /// The scenario's own arrivals.
        case open
        /// Workers of closed loops, made to arrive.
        case converted
    }

    /// A client that arrives.
    public struct Part: Sendable, Codable, Equatable {
        /// The client's name.
        public var client: String
        /// Its share of the arrivals, in 0…1.
        public var share: Double
    }

    /// Where the arrivals come from.
    public let origin: Origin
    /// The clients that arrive, in the scenario's order.
    public let parts: [Part]
    /// The clients that stay as they are, in the scenario's order.
    public let background: [String]
    /// The sum of the scenario's own rates, in accesses/s; nil where it has none.
    public let ownRate: Double?
    private let scenario: Scenario

    /// Looks at a scenario's clients.
    ///
    /// - Throws: ``RunError`` when nobody could arrive, with what the scenario needs.
    public init(_ scenario: Scenario) throws(RunError) {
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
                "\(scenario.name) has no client whose rate could be turned; give one an arrival, "
                    + "such as arrival: {rate: 100/s}"
            )
        }
        parts = loads.map { Part(client: $0.name, share: $0.load / sum) }
        background = scenario.clients.map(\.name).filter { name in
            !loads.contains { $0.name == name }
        }
        ownRate = origin == .open ? sum : nil
    }

    /// The scenario with so many arrivals per second, all clients together.
    public func scenario(at rate: Double) -> Scenario {
        var changed = scenario
        for part in parts {
            guard let index = changed.clients.firstIndex(where: { $0.name == part.client }) else {
                continue
            }
            var arrival = Arrival(rate: rate * part.share)
            if case .open(let own) = changed.clients[index].pace {
                arrival.process = own.process
                arrival.skipAfter = own.skipAfter
            }
            changed.clients[index].pace = .open(arrival)
        }
        return changed
    }

    /// What is done with the scenario's clients, in a sentence.
    public var sentence: String {
        let names = parts.map { part in
            parts.count == 1 ? part.client : "\(part.client) \(HumanUnits.percent(part.share))"
        }.joined(separator: ", ")
        var text =
            origin == .open
            ? "The rate is that of the arrivals: \(names)."
            : "No client arrives, so the closed loops are made to, on the same mix, each worker "
                + "with the same share and without thinking: \(names)."
        if !background.isEmpty {
            text +=
                " As the scenario says, whatever the rate: "
                + background.joined(separator: ", ") + "."
        }
        return text
    }
}

extension Client {
    /// Whether a closed loop of it can become arrivals.
    fileprivate var canArrive: Bool {
        guard case .closed = pace, style != .process else { return false }
        switch activity {
        case .operations, .hold, .snapshot: return true
        case .importRows, .interrupt, .action: return false
        }
    }
}

extension Arrival {
    /// The rate, or that of the stages on average, in accesses/s.
    func meanRate(in measured: Duration) -> Double {
        let parts = stages.map { stage in
            (rate: (stage.from + stage.to) / 2, length: stage.length.resolved(in: measured))
        }
        let length = parts.reduce(Duration.zero) { $0 + $1.length }
        guard length > .zero else { return rate }
        return parts.reduce(0) { $0 + $1.rate * ($1.length / length) }
    }
}
