import Scenarios
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
    /// - Throws: `RunError` if no client can have arrivals.
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

extension Scenario {
    /// Applies one value of a sweep to the scenario.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - variable: The variable.
    ///   - reload: A function that decodes the scenario's file again with a changed value.
    /// - Returns: The changed scenario.
    /// - Throws: `RunError` if the sweep does not apply to the scenario, or the error of `reload`.
    func with(
        _ value: Sweep.Value,
        of variable: Sweep.Variable,
        reload: (Setting) throws -> Scenario
    ) throws -> Scenario {
        var changed = self
        switch variable {
        case .readers:
            guard arms.contains(where: { $0.kind == .pool }) else {
                throw RunError(.scenario, "readers: no compared arm of \(name) has the type pool")
            }
            return try with(readers: Int(value.number))
        case .hold:
            var count = 0
            for index in clients.indices {
                guard case .hold(_, let sql) = clients[index].activity else { continue }
                let time = Duration.nanoseconds(Int64(value.number))
                changed.clients[index].activity = .hold(.absolute(time), sql: sql)
                count += 1
            }
            guard count > 0 else {
                throw RunError(
                    .scenario,
                    "hold: \(name) has no client that holds a connection, such as one with "
                        + "hold: 20ms"
                )
            }
        case .rate:
            let load = try OfferedLoad(self)
            guard load.origin == .open else {
                throw RunError(
                    .scenario,
                    "rate: no client of \(name) has arrivals; add an arrival to one, such as "
                        + "arrival: {rate: 100/s}"
                )
            }
            return load.scenario(at: value.number)
        case .workers:
            let varied = clients.indices.filter { clients[$0].isLoad }
            guard !varied.isEmpty else {
                throw RunError(.scenario, "workers: \(name) has no client that makes accesses")
            }
            for index in varied { changed.clients[index].workers = Int(value.number) }
        case .writeShare: return try with(writeShare: value.number)
        case .journal:
            let varied = arms.indices.filter { arms[$0].kind == .queue || arms[$0].library == .raw }
            guard !varied.isEmpty else {
                throw RunError(
                    .scenario,
                    "journal: no compared arm of \(name) has the type queue, and a pool always "
                        + "uses a write-ahead log"
                )
            }
            for index in varied { changed.arms[index].journal = Arm.Journal(rawValue: value.text) }
        case .setting(let path): return try reload(Setting("\(path)=\(value.text)"))
        }
        return changed
    }

    /// Returns the scenario with the given share of writes, and removes clients whose load becomes
    /// zero.
    ///
    /// Open loops keep their total rate, and closed loops keep their total number of workers.
    private func with(writeShare share: Double) throws -> Scenario {
        var changed = self
        var hasChanged = false
        for isOpen in [true, false] {
            let group = clients.indices.filter {
                clients[$0].isLoad && clients[$0].isOpen == isOpen
            }
            let loads = group.map { clients[$0].loadAmount(in: measuredDuration) }
            let shares = group.map { clients[$0].writeShare }
            let sum = loads.reduce(0, +)
            let currentShare = zip(loads, shares).reduce(0) { $0 + $1.0 * $1.1 } / max(sum, 1e-9)
            guard currentShare > 0, currentShare < 1 else { continue }
            hasChanged = true
            let (write, read) = (share / currentShare, (1 - share) / (1 - currentShare))
            for (position, index) in group.enumerated() {
                let factor = shares[position] * write + (1 - shares[position]) * read
                changed.clients[index].scale(by: factor, write: write, read: read)
            }
        }
        guard hasChanged else {
            throw RunError(
                .scenario,
                "write-share: \(name) needs clients that read and clients that write, all with "
                    + "arrivals or all in closed loops"
            )
        }
        let removedNames = changed.clients.filter { $0.isLoad && !$0.hasLoad }.map(\.name)
        changed.clients.removeAll { removedNames.contains($0.name) }
        changed.thresholds.removeAll { threshold in
            removedNames.contains { threshold.metric.hasPrefix("\($0).") }
        }
        return changed
    }
}

extension Client {
    /// Whether a sweep can vary the client's load.
    fileprivate var isLoad: Bool {
        switch activity {
        case .operations, .hold: isOpen || isClosed
        case .snapshot, .importRows, .interrupt, .action: false
        }
    }

    fileprivate var isOpen: Bool { if case .open = pace { true } else { false } }
    private var isClosed: Bool { if case .closed = pace { true } else { false } }

    fileprivate var hasLoad: Bool {
        if case .open(let arrival) = pace {
            return arrival.rate > 0 || arrival.stages.contains { $0.from > 0 || $0.to > 0 }
        }
        return workers > 0
    }

    /// Returns the arrivals per second of an open loop, or the workers of a closed loop.
    fileprivate func loadAmount(in measured: Duration) -> Double {
        if case .open(let arrival) = pace { return arrival.meanRate(in: measured) }
        return Double(workers)
    }

    fileprivate var writeShare: Double {
        guard case .operations(let access, let mix) = activity else { return 0 }
        let sum = mix.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return access.isWrite ? 1 : 0 }
        return mix.reduce(0) { $0 + (($1.access ?? access).isWrite ? $1.weight : 0) } / sum
    }

    /// Scales the load by `factor`, the weights of writes by `write`, and the weights of reads by
    /// `read`.
    fileprivate mutating func scale(by factor: Double, write: Double, read: Double) {
        let currentShare = writeShare
        if case .operations(let access, var mix) = activity, currentShare > 0, currentShare < 1 {
            for index in mix.indices {
                mix[index].weight *= (mix[index].access ?? access).isWrite ? write : read
            }
            mix.removeAll { $0.weight <= 0 }
            activity = .operations(access, mix: mix)
        }
        if case .open(var arrival) = pace {
            // Round the rate as in the options for `poolgauge run`.
            arrival.rate = (arrival.rate * factor).rounded(toDigits: 4)
            for index in arrival.stages.indices {
                arrival.stages[index].from *= factor
                arrival.stages[index].to *= factor
            }
            pace = .open(arrival)
        } else if factor > 0 {
            workers = max(1, Int((Double(workers) * factor).rounded()))
        } else {
            workers = 0
        }
    }
}
