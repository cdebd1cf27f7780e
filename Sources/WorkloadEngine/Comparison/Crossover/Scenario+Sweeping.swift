extension Scenario {
    /// Applies one value of a sweep to the scenario.
    ///
    /// - Returns: The changed scenario, and the `poolgauge run` options with the same effect.
    /// - Throws: ``RunError`` if the sweep does not apply to the scenario.
    func with(
        _ variable: Sweep.Variable,
        _ value: Sweep.Value
    ) throws -> (scenario: Scenario, options: [String]) {
        switch variable {
        case .readers:
            guard arms.contains(where: { $0.kind == .pool }) else {
                throw RunError(.scenario, "readers: \(name) has no arm of type pool")
            }
            return (try with(readers: Int(value.number)), ["--readers \(value.text)"])
        case .hold:
            return try withHold(.nanoseconds(Int64(value.number)), value.text)
        case .rate:
            let load = try OfferedLoad(self)
            guard load.origin == .open else {
                throw RunError(
                    .scenario,
                    "rate: no client of \(name) has arrivals; add an arrival to one, such as "
                        + "arrival: {rate: 100/s}"
                )
            }
            let changed = load.scenario(at: value.number)
            return (changed, changed.rateOptions(of: load.parts.map(\.client)))
        case .workers:
            var changed = self
            var options: [String] = []
            for index in clients.indices where clients[index].isLoad {
                changed.clients[index].workers = Int(value.number)
                options.append("--set clients.\(clients[index].name).workers=\(value.text)")
            }
            guard !options.isEmpty else {
                throw RunError(.scenario, "workers: \(name) has no client that makes accesses")
            }
            return (changed, options)
        case .writeShare:
            return try with(writeShare: value.number)
        }
    }

    private func rateOptions(of names: [String]) -> [String] {
        clients.filter { names.contains($0.name) }.compactMap { client in
            guard case .open(let arrival) = client.pace else { return nil }
            let rate = ReportUnits.unitless(arrival.rate.rounded(toDigits: 4))
            return "--set clients.\(client.name).arrival.rate=\(rate)/s"
        }
    }

    private func withHold(
        _ time: Duration,
        _ text: String
    ) throws -> (scenario: Scenario, options: [String]) {
        var changed = self
        var options: [String] = []
        for index in clients.indices {
            guard case .hold(_, let sql) = clients[index].activity else { continue }
            changed.clients[index].activity = .hold(.absolute(time), sql: sql)
            options.append("--set clients.\(clients[index].name).hold=\(text)")
        }
        guard !options.isEmpty else {
            throw RunError(
                .scenario,
                "hold: \(name) has no client that holds a connection, such as one with hold: 20ms"
            )
        }
        return (changed, options)
    }

    /// Returns the scenario with the given share of writes, and removes clients whose load becomes
    /// zero.
    ///
    /// Open loops keep their total rate, and closed loops keep their total number of workers.
    private func with(writeShare share: Double) throws -> (scenario: Scenario, options: [String]) {
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
        return (changed, options(from: self, to: changed, removedNames))
    }

    private func options(
        from old: Scenario,
        to new: Scenario,
        _ removedNames: [String]
    ) -> [String] {
        var options = new.rateOptions(
            of: new.clients.filter { client in
                old.clients.contains { $0.name == client.name && $0.pace != client.pace }
            }.map(\.name)
        )
        for client in new.clients {
            guard let oldClient = old.clients.first(where: { $0.name == client.name }) else {
                continue
            }
            if oldClient.workers != client.workers {
                options.append("--set clients.\(client.name).workers=\(client.workers)")
            }
            guard case .operations(_, let mix) = client.activity,
                case .operations(_, let oldMix) = oldClient.activity, mix != oldMix
            else { continue }
            for operation in mix {
                let weight = ReportUnits.unitless(operation.weight.rounded(toDigits: 6))
                options.append(
                    "--set clients.\(client.name).mix.\(operation.name).weight=\(weight)"
                )
            }
        }
        // No option removes a client, so name the removed clients in a shell comment.
        return options
            + (removedNames.isEmpty ? [] : ["# without \(removedNames.joined(separator: ", "))"])
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
