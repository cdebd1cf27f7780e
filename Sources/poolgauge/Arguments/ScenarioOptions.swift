import ArgumentParser
import GRDBTarget
import Units
import WorkloadEngine

struct ScenarioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The length of the measured part of the run, such as 5s; times specified as "
                + "percentages are relative to it."
        ),
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: "The size of a preset dataset, in units of 100,000 accounts or 1,000 records.",
        transform: NumberArgument.positive
    )
    var scale: Int?

    @Option(help: "The seed for all random numbers.", transform: NumberArgument.seed)
    var seed: UInt64?

    @Option(help: "The number of readers in each pool.", transform: NumberArgument.positive)
    var readers: Int?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Override a value in the scenario, such as clients.ui.arrival.rate=500/s; can be "
                + "repeated.",
            valueName: "path=value"
        ),
        transform: SettingArgument.parse
    )
    var settings: [SettingArgument] = []

    func load(_ nameOrPath: String) throws -> Scenario {
        try apply(to: Scenario.load(nameOrPath: nameOrPath))
    }

    func apply(to scenario: Scenario) throws -> Scenario {
        var scenario = try scenario.with(settings.map(\.setting))
        if let scale { scenario = try scenario.with(scale: scale) }
        if let seed { scenario = scenario.with(seed: seed) }
        if let readers { scenario = try scenario.with(readers: readers) }
        if let duration { scenario = try scenario.scaled(toMeasured: duration.duration) }
        return scenario
    }
}

extension Scenario {
    /// Returns the arms with the given names, in the scenario's order.
    ///
    /// Without names, returns ``WorkloadEngine/Scenario/defaultArms``.
    ///
    /// - Throws: ``CommandFailure`` with a remedy if an arm does not exist, or if this build does
    ///   not include the arm's library.
    func arms(named names: [String]) throws -> [Arm] {
        let known = arms.map(\.name)
        for name in names where !known.contains(name) {
            throw CommandFailure(
                "\(self.name) has no arm '\(name)'" + NearestName.hint(name, among: known)
            )
        }
        let chosen = names.isEmpty ? defaultArms : arms.filter { names.contains($0.name) }
        for arm in chosen where !LibraryTargetFactory.has(arm.library) {
            throw CommandFailure(
                "arm '\(arm.name)' uses library: \(arm.library.rawValue); "
                    + LibraryTargetFactory.way(to: arm.library)
            )
        }
        return chosen
    }
}
