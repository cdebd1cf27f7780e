import Foundation

extension WhatIf {
    /// Returns the fitted service times, overheads, and handover times.
    ///
    /// The method fits the parameters in this order, because each step uses the results of the
    /// previous steps. It then fits the overheads again, because they depend on the handover times.
    func calibrated(_ start: Fit) throws -> Fit {
        var fit = start
        try Calibration.fit(&fit.models) { models, round in
            var trial = start
            trial.models = models
            return try means(with: trial, round: round)
        }
        fit.overheads = try overheads(with: fit)
        let fitted = fit
        fit.handover = try Calibration.handoverTimes { handover, round in
            var trial = fitted
            trial.handover = handover
            return try excess(of: trial, round: round)
        }
        fit.overheads = try overheads(with: fit)
        return fit
    }

    private func means(with fit: Fit, round: Int) throws -> [String: [Double?]] {
        try simulate(recorded, fit, round: round).outcomes.mapValues { outcome in
            outcome.service.map { $0.count > 0 ? $0.sum / Double($0.count) : nil }
        }
    }

    /// Returns the overheads of accesses that find a free connection.
    ///
    /// The overheads are the shortest recorded waits. A simulation of the recorded setting
    /// determines the share of these waits.
    private func overheads(with fit: Fit) throws -> [String: SpectrumSampler] {
        var overheads: [String: SpectrumSampler] = [:]
        for (name, outcome) in try simulate(recorded, fit, round: 0).outcomes {
            guard let waits = run.clients[name]?.spectra?.wait, !outcome.waits.isEmpty else {
                continue
            }
            let share = Double(outcome.immediateCount) / Double(outcome.waits.count)
            overheads[name] = SpectrumSampler(waits, upTo: share)
        }
        return overheads
    }

    /// The minimum wait in the search for a handover time, in nanoseconds.
    ///
    /// Shorter waits are overheads, which are fitted separately, and zero has no logarithm. If no
    /// wait is longer, the search does not find a handover time.
    private static let shortestWait = 100e3

    private static func logarithm(_ wait: Double) -> Double { log(max(wait, shortestWait)) }

    /// Returns the difference between simulated and recorded waits in the recorded setting.
    ///
    /// The result contains sums of differences between logarithms, separately for accesses that
    /// wait for readers and accesses that wait for the writer. A sum without logarithms would
    /// consist mainly of the few longest waits. These waits are due to holds by other accesses and
    /// are far longer than a handover.
    private func excess(of fit: Fit, round: Int) throws -> [Double?] {
        var excess: [Double?] = [nil, nil]
        for (name, outcome) in try simulate(recorded, fit, round: round).outcomes {
            guard let measured = run.clients[name]?.spectra?.wait, measured.count > 0,
                let recorded = load.clients[name],
                let access = recorded.operations.first?.access, access != "snapshot",
                recorded.operations.allSatisfy({ $0.access == access }), !outcome.waits.isEmpty
            else { continue }
            // If few accesses wait for other accesses, the waits do not determine a handover time.
            guard outcome.waits.count - outcome.immediateCount > outcome.waits.count / 20 else {
                continue
            }
            let simulatedSum = outcome.waits.reduce(0) { $0 + Self.logarithm($1) }
            let measuredSum = measured.buckets.reduce(0) {
                $0 + Double($1.count) * Self.logarithm($1.middle)
            }
            let share = Double(measured.count) / Double(outcome.waits.count)
            let sum = simulatedSum * share - measuredSum
            let resource = access == "read" ? AccessSimulation.readers : AccessSimulation.writer
            excess[resource] = (excess[resource] ?? 0) + sum
        }
        // In a queue, reads and writes wait for the same connection.
        guard recorded == .queue else { return excess }
        let sum = excess.reduce(0) { $0 + ($1 ?? 0) }
        return [sum, sum]
    }
}

extension ServiceModel {
    /// Creates a model of a client's operation, or returns `nil` if no access completed.
    init?(_ client: ClientResult, operation: String, hold: UInt64?) {
        let metrics = client.operations?[operation]
        // The client's spectra also apply to its only operation.
        let isOnly = (client.operations?.count ?? 0) <= 1
        guard let spectra = metrics?.spectra ?? (isOnly ? client.spectra : nil) else { return nil }
        self.init(
            spectra.service,
            exactMean: metrics?.service?.mean ?? (isOnly ? client.service?.mean : nil),
            processorMean: metrics?.processorMean ?? (isOnly ? client.processorMean : nil),
            hold: hold ?? 0
        )
    }
}
