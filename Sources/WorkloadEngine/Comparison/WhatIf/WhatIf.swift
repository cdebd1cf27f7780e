import Foundation
import Telemetry

/// Predicts, from a recorded run, how long accesses wait with other numbers of readers.
///
/// The simulation repeats the recorded arrivals, and draws service times from the recorded service
/// times.
package struct WhatIf: Sendable {
    /// The recorded run.
    package let run: ArmResult
    /// The queue or pool of the recorded run.
    package let recorded: WhatIfSetting
    /// Whether the recorded run used the user's database.
    ///
    /// If so, checks require that database. The value is `nil` in results from older versions.
    package var hasOwnDatabase: Bool? { load.ownDatabase }
    let result: RunResult
    let load: RecordedLoad
    private var fit = Fit()

    /// The parameters that are fitted to the recorded run.
    struct Fit: Sendable {
        var models: [String: [ServiceModel?]] = [:]
        /// The variation of each client's service times from second to second.
        var seconds: [String: ServiceSeconds] = [:]
        /// The time of each client's accesses between acquiring a connection and entering the
        /// closure.
        var overheads: [String: SpectrumSampler] = [:]
        /// The idle time of each resource between two accesses, in nanoseconds.
        var handover = AccessSimulation.immediateHandover
    }

    /// Fits the model to a recorded run.
    ///
    /// - Parameters:
    ///   - result: The result with the run.
    ///   - name: The arm's name, or `nil` for the first pool or the first arm.
    /// - Throws: ``WhatIfError`` if the result is insufficient for predictions.
    package init(_ result: RunResult, arm name: String? = nil) throws {
        self.result = result
        run = try Self.chosenRun(of: result, name)
        load = try Self.recordedLoad(of: run)
        recorded = try Self.setting(of: run, load)
        for (client, recordedClient) in load.clients {
            guard let measured = run.clients[client] else { continue }
            let services = recordedClient.operations.map { operation in
                ServiceModel(measured, operation: operation.name, hold: recordedClient.hold)
            }
            guard services.contains(where: { $0 != nil }) else { continue }
            fit.models[client] = services
            fit.seconds[client] = ServiceSeconds(of: client, in: run.intervals)
        }
        guard !fit.models.isEmpty else {
            throw WhatIfError(
                .notRecorded,
                "the result has no service times of arm '\(run.arm)'; record it with "
                    + "'poolgauge run … --format json', long enough for accesses to complete"
            )
        }
        fit = try calibrated(fit)
    }

    /// The names of the clients that wait for connections.
    private var clientNames: [String] {
        fit.models.keys.filter { run.clients[$0]?.wait != nil }.sorted()
    }

    /// Predicts the waits in the given settings.
    ///
    /// - Throws: ``WhatIfError`` if the recording cannot be simulated.
    package func predict(_ settings: [WhatIfSetting] = WhatIfSetting.all) throws -> WhatIfResult {
        var requested = settings
        if !requested.contains(recorded) {
            requested.append(recorded)
            requested.sort { ($0.readers ?? 0) < ($1.readers ?? 0) }
        }
        var predictions: [WhatIfPrediction] = []
        // The prediction for the first pool in which no access waits for a reader in any
        // simulation. Additional readers have no effect.
        var sufficientPool: WhatIfPrediction?
        for setting in requested {
            if let sufficientPool, let sufficientReaders = sufficientPool.setting.readers,
                setting.readers ?? 0 > sufficientReaders
            {
                predictions.append(
                    WhatIfPrediction(setting: setting, clients: sufficientPool.clients)
                )
                continue
            }
            let (prediction, hasWaited) = try predict(setting)
            predictions.append(prediction)
            if setting != .queue, !hasWaited { sufficientPool = prediction }
        }
        var reproduced: [String: WhatIfComparison] = [:]
        if let prediction = predictions.first(where: { $0.setting == recorded }) {
            reproduced = comparisons(of: prediction, with: [run])
        }
        let notes =
            notes(reproduced, from: predictions) + Self.notes(onChanceIn: predictions)
        return WhatIfResult(
            schema: WhatIfResult.schemaName,
            scenario: result.scenario,
            arm: run.arm,
            recorded: recorded,
            versions: result.environment.versions,
            settings: run.journalSettings.map { [run.arm: $0] },
            cpuCount: result.environment.cpuCount,
            seed: load.seed,
            runs: repetitions,
            fit: reproduced,
            predictions: predictions,
            notes: notes.isEmpty ? nil : notes
        )
    }

    func comparisons(
        of prediction: WhatIfPrediction,
        with runs: [ArmResult]
    ) -> [String: WhatIfComparison] {
        var comparisons: [String: WhatIfComparison] = [:]
        for (name, wait) in prediction.clients {
            comparisons[name] = WhatIfComparison(
                predicted: wait.p99,
                measured: runs.compactMap { $0.clients[name] }
            )
        }
        return comparisons
    }

    /// The number of simulations of each setting, which is smaller for longer runs.
    private var repetitions: Int {
        let accesses = run.clients.values.reduce(0) { $0 + $1.completed }
        return min(9, max(3, 300_000 / max(1, Int(clamping: accesses))))
    }

    private func predict(
        _ setting: WhatIfSetting
    ) throws -> (prediction: WhatIfPrediction, hasWaited: Bool) {
        var hasWaited = false
        var outcomes: [String: [AccessSimulation.Outcome]] = [:]
        for repetition in 0..<repetitions {
            let simulated = try simulate(setting, fit, round: repetition)
            hasWaited = hasWaited || simulated.hasWaited
            for (name, outcome) in simulated.outcomes {
                outcomes[name, default: []].append(outcome)
            }
        }
        var clients: [String: WhatIfPrediction.Wait] = [:]
        for name in clientNames { clients[name] = outcomes[name].flatMap(Self.wait) }
        return (WhatIfPrediction(setting: setting, clients: clients), hasWaited)
    }

    static let minimumCount = Int(Percentile.neededCount(for: 99) ?? 0)

    /// Combines a client's waits in several simulations.
    ///
    /// Returns `nil` if fewer than ten waits of all simulations are above the percentile.
    static func wait(of outcomes: [AccessSimulation.Outcome]) -> WhatIfPrediction.Wait? {
        let all = outcomes.flatMap(\.waits)
        let single = outcomes.compactMap { percentile99(of: $0.waits) }
        guard all.count >= minimumCount, let p99 = percentile99(of: all),
            let low = single.min(), let high = single.max()
        else { return nil }
        let skipped = outcomes.reduce(0) { $0 + $1.skipped }
        let share = Double(skipped) / Double(all.count + skipped)
        return .init(
            p99: p99,
            low: low,
            high: high,
            skipped: skipped > 0 ? share.rounded(toDigits: 4) : nil
        )
    }

    static func percentile99(of waits: [Double]) -> UInt64? {
        Percentile.value(at: 99, of: waits).map { UInt64(max(0, $0)) }
    }

    func simulate(
        _ setting: WhatIfSetting,
        _ fit: Fit,
        round: Int
    ) throws -> (outcomes: [String: AccessSimulation.Outcome], hasWaited: Bool) {
        let plan = try load.makePlan()
        var clients: [AccessSimulation.Client] = []
        var names: [String] = []
        for client in plan.clients {
            let name = client.name.name
            guard let recorded = load.clients[name] else { continue }
            if let interrupts = interrupts(of: recorded) {
                names.append(name)
                clients.append(
                    AccessSimulation.Client(plan: client, services: [], interrupts: interrupts)
                )
                continue
            }
            guard let services = fit.models[name] else { continue }
            let isSnapshot = recorded.operations.contains { $0.access == "snapshot" }
            // Snapshots require a pool.
            if isSnapshot, setting == .queue { continue }
            names.append(name)
            clients.append(
                AccessSimulation.Client(
                    plan: client,
                    services: services,
                    needsConnection: !isSnapshot,
                    overhead: fit.overheads[name],
                    seconds: fit.seconds[name],
                    batches: max(1, recorded.batches ?? 1),
                    isTask: recorded.style == WorkloadEngine.Client.Style.async.rawValue
                )
            )
        }
        var simulation = AccessSimulation(
            clients,
            in: plan.phases,
            on: setting,
            processors: result.environment.cpuCount,
            handover: fit.handover,
            isOvertaking: load.library == Arm.Library.engine.rawValue,
            random: RandomStream(seed: load.seed, stream: "what-if", worker: round)
        )
        simulation.run()
        return (
            Dictionary(uniqueKeysWithValues: zip(names, simulation.outcomes)),
            simulation.hasWaitedForReader
        )
    }

    private func interrupts(of client: RecordedLoad.Client) -> AccessSimulation.Interrupts? {
        guard let victim = client.interrupts else { return nil }
        let isAll = victim == RecordedLoad.Client.allClients
        let status = isAll ? run.interrupts : run.clients[victim]?.interrupts
        return AccessSimulation.Interrupts(
            victim: isAll ? nil : victim,
            latency: Double(status?.latency?.mean ?? 0)
        )
    }
}
