import ArgumentParser
import WorkloadEngine

/// A scenario, and what the command line changes of it.
struct ScenarioOptions: ParsableArguments {
    @Option(
        help: "How long the measured part lasts, such as 5s; times in percent follow.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(help: "The size of a preset dataset: 100,000 accounts or 1,000 records each.")
    var scale: Int?

    @Option(help: "The seed of all randomness.")
    var seed: UInt64?

    @Option(help: "The readers of every pool.")
    var readers: Int?

    /// Reads a scenario and changes it.
    func load(_ nameOrPath: String) throws -> Scenario {
        try apply(to: Scenario.load(nameOrPath: nameOrPath))
    }

    /// Changes a scenario.
    func apply(to scenario: Scenario) throws -> Scenario {
        var scenario = scenario
        if let scale { scenario = try scenario.with(scale: scale) }
        if let seed { scenario = scenario.with(seed: seed) }
        if let readers { scenario = try scenario.with(readers: readers) }
        if let duration { scenario = try scenario.scaled(toMeasured: duration.duration) }
        return scenario
    }
}

extension Scenario {
    /// The arms of these names, in the scenario's order; all of them when no name is given.
    func arms(named names: [String]) throws -> [Arm] {
        let known = arms.map(\.name)
        for name in names where !known.contains(name) {
            throw CommandFailure(
                "\(self.name) has no arm '\(name)'" + NearestName.hint(name, among: known)
            )
        }
        return names.isEmpty ? arms : arms.filter { names.contains($0.name) }
    }
}
