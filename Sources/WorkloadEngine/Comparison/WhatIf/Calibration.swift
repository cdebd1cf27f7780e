/// A type that fits the service models of a load to the recorded run.
///
/// If the processor time was measured, the difference between the recorded mean and the simulated
/// mean becomes a delay. Otherwise, the model consists only of work, which is shorter than the
/// recorded time if accesses shared processors.
enum Calibration {
    private static let rounds = 6

    /// Corrects the models.
    ///
    /// - Parameters:
    ///   - models: The models of the operations, keyed by the client's name.
    ///   - simulate: A function that simulates the recorded setting with the given models and
    ///     round number. It returns the mean service time of each operation, or `nil` if no access
    ///     completed.
    static func fit(
        _ models: inout [String: [ServiceModel?]],
        _ simulate: ([String: [ServiceModel?]], Int) throws -> [String: [Double?]]
    ) rethrows {
        for round in 0..<rounds {
            let means = try simulate(models, round)
            for (name, current) in models {
                guard let simulated = means[name] else { continue }
                models[name] = zip(current, simulated).map { model, mean in
                    guard let model, let mean, mean > 0 else { return model }
                    return corrected(model, simulated: mean)
                }
            }
        }
    }

    /// The maximum handover time, in nanoseconds.
    private static let longestHandover = 5e6

    /// Finds the handover times for which simulated waits are about as long as recorded waits.
    ///
    /// Waits increase with the handover time, so the method uses bisection.
    ///
    /// - Parameter excess: A function that simulates the given handover times and round number.
    ///   It returns the difference between simulated and recorded waits for each resource, in any
    ///   unit, or `nil` if too few accesses wait.
    /// - Returns: The handover time of each resource, in nanoseconds. A time is 0 if simulated
    ///   waits are long enough without a handover time, or too short even with the longest one.
    static func handoverTimes(_ excess: ([Double], Int) throws -> [Double?]) rethrows -> [Double] {
        var low = AccessSimulation.immediateHandover
        var high = low.map { _ in longestHandover }
        let (lower, upper) = (try excess(low, 0), try excess(high, 0))
        let searched = low.indices.filter { (lower[$0] ?? 0) < 0 && (upper[$0] ?? 0) > 0 }
        for resource in high.indices where !searched.contains(resource) { high[resource] = 0 }
        func middle() -> [Double] { zip(low, high).map { ($0 + $1) / 2 } }
        for round in 0..<(searched.isEmpty ? 0 : 8) {
            let trial = middle()
            let excess = try excess(trial, round % 3)
            for resource in searched {
                if (excess[resource] ?? 0) < 0 {
                    low[resource] = trial[resource]
                } else {
                    high[resource] = trial[resource]
                }
            }
        }
        return middle()
    }

    private static func corrected(_ model: ServiceModel, simulated: Double) -> ServiceModel {
        var model = model
        guard model.hold == 0, model.mean > 0 else { return model }
        if model.isWorkMeasured {
            let shortfall = (model.mean - simulated) / model.mean
            model.delay = min(max(0, model.delay + shortfall), 1 - min(1, model.work))
        } else {
            model.work = min(1, model.work * model.mean / simulated)
        }
        return model
    }
}
