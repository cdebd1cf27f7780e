import Foundation

extension RecordedLoad {
    /// Creates a plan that repeats the run's arrivals from the same seed.
    ///
    /// - Throws: ``WhatIfError`` if the recording contains unknown values.
    func makePlan() throws -> RunPlan {
        var scenario = Scenario(
            name: "what-if",
            dataset: .sql([]),
            arms: [],
            phases: phases.map {
                WorkloadEngine.Phase(
                    name: $0.name,
                    duration: .nanoseconds($0.length),
                    isMeasured: $0.measured
                )
            },
            clients: try clients.sorted { $0.key < $1.key }.map { try $1.client(named: $0) }
        )
        scenario.seed = seed
        scenario.drain = .nanoseconds(drain)
        return try RunPlan(scenario, on: NoopTarget())
    }
}

extension RecordedLoad.Client {
    /// The maximum number of workers to simulate.
    private static let workerLimit = 1_000

    /// Creates a client whose operations have the recorded kinds of access but no statements.
    fileprivate func client(named name: String) throws -> Client {
        guard workers > 0, !operations.isEmpty || interrupts != nil else {
            throw WhatIfError(.unreadable, "client '\(name)' has no workers or no operations")
        }
        guard workers <= Self.workerLimit else {
            throw WhatIfError(
                .unreadable,
                "client '\(name)' has \(workers) workers; the maximum is \(Self.workerLimit)"
            )
        }
        let mix = try operations.map { operation in
            // A mix cannot contain snapshots, so a recorded snapshot becomes a read. The simulation
            // identifies snapshots by the recorded kind of access.
            let access = operation.access == "snapshot" ? "read" : operation.access
            return WorkloadEngine.Operation(
                name: operation.name,
                weight: operation.weight,
                access: try WhatIfError.word(access, "the access of client '\(name)'"),
                steps: []
            )
        }
        var client = Client(
            name: name,
            activity: interrupts != nil ? .interrupt : .operations(.read, mix: mix)
        )
        client.workers = workers
        client.phases = phases ?? []
        client.pace = try pace(of: name)
        return client
    }

    private func pace(of name: String) throws -> Client.Pace {
        if let arrivals { return .open(try arrivals.arrival(of: name)) }
        if let at { return .at(.absolute(.nanoseconds(at))) }
        if let every { return .every(.absolute(.nanoseconds(every))) }
        if let mean = think?.mean { return .closed(.exponential(mean: .nanoseconds(mean))) }
        let least = think?.least ?? 0
        let most = max(least, think?.most ?? least)
        return .closed(
            least == most
                ? .constant(.nanoseconds(least))
                : .uniform(.nanoseconds(least)...(.nanoseconds(most)))
        )
    }
}

extension RecordedLoad.Arrivals {
    fileprivate func arrival(of name: String) throws -> Arrival {
        var arrival = Arrival(
            rate: rate,
            process: try WhatIfError.word(process, "the arrivals of client '\(name)'"),
            skipAfter: skipAfter.map { .nanoseconds($0) }
        )
        arrival.stages = (stages ?? []).map {
            Arrival.Stage(from: $0.from, to: $0.to, length: .absolute(.nanoseconds($0.length)))
        }
        return arrival
    }
}

extension Duration {
    fileprivate static func nanoseconds(_ count: UInt64) -> Duration {
        .nanoseconds(Int64(clamping: count))
    }
}
