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

    /// The longest handover that is looked for, in nanoseconds.
    private static let longestHandover = 5e6

    /// Finds the times of a handover with which waits are about as long as was recorded.
    ///
    /// Waits grow with it, so halving the range finds it.
    ///
    /// - Parameter excess: How much longer the simulated waits for a reader and for the writer are
    ///   than those recorded, with a handover and a round's number: above 0 when they are longer,
    ///   whatever the unit; nil where too few accesses wait to tell.
    /// - Returns: The times; 0 where waits are long enough without, and where even the longest
    ///   handover does not explain them.
    static func handover(
        _ excess: (HandoverTime, Int) throws -> (reader: Double?, writer: Double?)
    ) rethrows -> HandoverTime {
        var low = HandoverTime()
        var high = HandoverTime(reader: longestHandover, writer: longestHandover)
        let (least, most) = (try excess(low, 0), try excess(high, 0))
        func isFound(_ least: Double?, _ most: Double?) -> Bool {
            guard let least, let most else { return false }
            return least < 0 && most > 0
        }
        let isReader = isFound(least.reader, most.reader)
        let isWriter = isFound(least.writer, most.writer)
        if !isReader { high.reader = 0 }
        if !isWriter { high.writer = 0 }
        for round in 0..<(isReader || isWriter ? 8 : 0) {
            let middle = HandoverTime(
                reader: (low.reader + high.reader) / 2,
                writer: (low.writer + high.writer) / 2
            )
            let found = try excess(middle, round % 3)
            if isReader {
                let isShort = (found.reader ?? 0) < 0
                (low.reader, high.reader) =
                    isShort ? (middle.reader, high.reader) : (low.reader, middle.reader)
            }
            if isWriter {
                let isShort = (found.writer ?? 0) < 0
                (low.writer, high.writer) =
                    isShort ? (middle.writer, high.writer) : (low.writer, middle.writer)
            }
        }
        return HandoverTime(
            reader: (low.reader + high.reader) / 2,
            writer: (low.writer + high.writer) / 2
        )
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
