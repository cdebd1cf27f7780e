/// Fits the service models of a load to the run that it was recorded from.
///
/// With the processor time measured, what the simulation of the recorded setting lacks of a
/// recorded mean is a delay; without it, all time is taken for work, of which there must be less
/// than was recorded where processors were shared.
enum Calibration {
    /// How often the models are corrected.
    private static let rounds = 6

    /// Corrects the models, in place.
    ///
    /// - Parameters:
    ///   - models: The models of each client's operations, by name.
    ///   - simulate: Runs the recorded setting with models and a round's number, and gives the mean
    ///     service time of each operation; nil for those without completed accesses.
    static func fit(
        _ models: inout [String: [ServiceModel?]],
        _ simulate: ([String: [ServiceModel?]], Int) throws -> [String: [Double?]]
    ) rethrows {
        for round in 0..<rounds {
            let means = try simulate(models, round)
            for (name, own) in models {
                guard let simulated = means[name] else { continue }
                models[name] = zip(own, simulated).map { model, mean in
                    guard let model, let mean, mean > 0 else { return model }
                    return corrected(model, simulated: mean)
                }
            }
        }
    }

    private static func corrected(_ model: ServiceModel, simulated: Double) -> ServiceModel {
        var model = model
        guard model.hold == 0, model.mean > 0 else { return model }
        if model.isWorkMeasured {
            let lack = (model.mean - simulated) / model.mean
            model.delay = min(max(0, model.delay + lack), 1 - min(1, model.work))
        } else {
            model.work = min(1, model.work * model.mean / simulated)
        }
        return model
    }
}
