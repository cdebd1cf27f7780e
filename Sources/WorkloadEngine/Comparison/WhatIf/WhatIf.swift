import Foundation

/// Predicts how long accesses would wait with other numbers of readers, from what a run recorded:
/// its arrivals, which come again at the same moments, and its service times, drawn anew.
public struct WhatIf: Sendable {
    /// The run that was recorded.
    public let run: ArmResult
    /// What served its accesses.
    public let recorded: WhatIfSetting
    let result: RunResult
    let load: RecordedLoad
    private var models: [String: [ServiceModel?]]

    /// Takes over a run, and fits the model to it.
    ///
    /// - Parameters:
    ///   - result: The result that holds the run.
    ///   - name: The arm; nil for the only one that can be predicted from.
    /// - Throws: ``WhatIfError``.
    public init(_ result: RunResult, arm name: String? = nil) throws {
        self.result = result
        run = try Self.chosenRun(of: result, name)
        load = try Self.recordedLoad(of: run)
        recorded = try Self.setting(of: run, load)
        models = [:]
        for (client, own) in load.clients {
            guard let measured = run.clients[client] else { continue }
            let services = own.operations.map { operation in
                ServiceModel(measured, operation: operation.name, hold: own.hold)
            }
            if services.contains(where: { $0 != nil }) { models[client] = services }
        }
        guard !models.isEmpty else {
            throw WhatIfError(
                .notRecorded,
                "the result has no service times of arm '\(run.arm)': record it with "
                    + "'poolgauge run … --format json', long enough for accesses to complete"
            )
        }
        var fitted = models
        let recording = self
        try Calibration.fit(&fitted) { try recording.means(with: $0, round: $1) }
        models = fitted
    }

    /// The names of the clients that wait for connections.
    private var clientNames: [String] {
        models.keys.filter { run.clients[$0]?.wait != nil }.sorted()
    }

    /// Predicts what settings would give.
    ///
    /// - Throws: ``WhatIfError``.
    public func predict(_ settings: [WhatIfSetting] = WhatIfSetting.all) throws -> WhatIfResult {
        var wanted = settings
        if !wanted.contains(recorded) {
            wanted.append(recorded)
            wanted.sort { ($0.readers ?? 0) < ($1.readers ?? 0) }
        }
        let predictions = try wanted.map { try predict($0) }
        var fit: [String: WhatIfComparison] = [:]
        if let own = predictions.first(where: { $0.setting == recorded }) {
            fit = comparisons(of: own, with: run)
        }
        let notes = notes(fit)
        return WhatIfResult(
            schema: WhatIfResult.schemaName,
            scenario: result.scenario,
            arm: run.arm,
            recorded: recorded,
            cpuCount: result.environment.cpuCount,
            seed: load.seed,
            runs: repetitions,
            fit: fit,
            predictions: predictions,
            notes: notes.isEmpty ? nil : notes
        )
    }

    /// A prediction beside what a run measured.
    func comparisons(
        of prediction: WhatIfPrediction,
        with run: ArmResult
    ) -> [String: WhatIfComparison] {
        var comparisons: [String: WhatIfComparison] = [:]
        for (name, wait) in prediction.clients {
            guard let measured = run.clients[name]?.wait?.p99 else { continue }
            comparisons[name] = WhatIfComparison(predicted: wait.p99, measured: measured)
        }
        return comparisons
    }

    /// How often each setting is simulated: less often the longer that takes.
    private var repetitions: Int {
        let accesses = run.clients.values.reduce(0) { $0 + $1.completed }
        return min(9, max(3, 300_000 / max(1, Int(clamping: accesses))))
    }

    private func predict(_ setting: WhatIfSetting) throws -> WhatIfPrediction {
        var waits: [String: [UInt64]] = [:]
        for repetition in 0..<repetitions {
            for (name, outcome) in try simulate(setting, models, round: repetition) {
                guard let wait = Self.percentile99(of: outcome.waits) else { continue }
                waits[name, default: []].append(wait)
            }
        }
        var clients: [String: WhatIfPrediction.Wait] = [:]
        for name in clientNames {
            guard let own = waits[name]?.sorted(), own.count == repetitions, let low = own.first,
                let high = own.last
            else { continue }
            clients[name] = .init(p99: own[own.count / 2], low: low, high: high)
        }
        return WhatIfPrediction(setting: setting, clients: clients)
    }

    /// The 99th percentile; nil with fewer than ten values beyond it.
    static func percentile99(of waits: [Double]) -> UInt64? {
        guard waits.count >= 1000 else { return nil }
        let sorted = waits.sorted()
        let rank = Int((Double(sorted.count) * 0.99).rounded(.up))
        return UInt64(max(0, sorted[min(rank, sorted.count) - 1]))
    }

    /// Simulates the load once, and gives what came of each client.
    private func simulate(
        _ setting: WhatIfSetting,
        _ models: [String: [ServiceModel?]],
        round: Int
    ) throws -> [String: AccessSimulation.Outcome] {
        let plan = try load.makePlan()
        var clients: [AccessSimulation.Client] = []
        var names: [String] = []
        for client in plan.clients {
            let name = client.name.name
            guard let services = models[name], let own = load.clients[name] else { continue }
            let isSnapshot = own.operations.contains { $0.access == "snapshot" }
            // A queue has no snapshots.
            if isSnapshot, setting == .queue { continue }
            names.append(name)
            clients.append(
                AccessSimulation.Client(
                    plan: client,
                    services: services,
                    needsConnection: !isSnapshot,
                    batches: max(1, own.batches ?? 1)
                )
            )
        }
        var simulation = AccessSimulation(
            clients,
            in: plan.phases,
            on: setting,
            processors: result.environment.cpuCount,
            random: RandomStream(seed: load.seed, stream: "what-if", worker: round)
        )
        simulation.run()
        return Dictionary(uniqueKeysWithValues: zip(names, simulation.outcomes))
    }

    /// The mean service times of the recorded setting.
    private func means(
        with models: [String: [ServiceModel?]],
        round: Int
    ) throws -> [String: [Double?]] {
        try simulate(recorded, models, round: round).mapValues { outcome in
            outcome.service.map { $0.count > 0 ? $0.sum / Double($0.count) : nil }
        }
    }
}

extension ServiceModel {
    /// The model of one operation of a client; nil when none of it completed.
    fileprivate init?(_ client: ClientResult, operation: String, hold: UInt64?) {
        let own = client.operations?[operation]
        // The only operation of a client has no spectra of its own.
        let isOnly = (client.operations?.count ?? 0) <= 1
        guard let spectra = own?.spectra ?? (isOnly ? client.spectra : nil) else { return nil }
        self.init(
            spectra.service,
            processorMean: own?.processorMean ?? (isOnly ? client.processorMean : nil),
            hold: hold ?? 0
        )
    }
}
