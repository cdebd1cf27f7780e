import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// The scenario that a command runs.
struct ScenarioArgument: ParsableArguments {
    @Argument(
        help: "The name of a preset, or the path to a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String
}

/// The options that change a scenario.
struct ScenarioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The length of the measured part of the run, such as 5s; times specified as "
                + "percentages are relative to it."
        ),
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @Option(help: "The number of readers in each pool.", transform: NumberArgument.readers)
    var readers: Int?

    func load(_ nameOrPath: String) throws -> Scenario {
        try apply(to: Scenario.load(nameOrPath: nameOrPath))
    }

    /// Applies the options, and then `addition`, if any, as another `--set`.
    func apply(to scenario: Scenario, adding addition: Scenario.Setting? = nil) throws -> Scenario {
        var scenario = try changes.apply(to: scenario, adding: addition)
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
    /// - Throws: ``RunError`` if an arm does not exist, or ``CommandFailure`` if this build does
    ///   not include the arm's library.
    func arms(named names: [String]) throws -> [Arm] {
        for name in names { _ = try arm(named: name) }
        let selectedArms = names.isEmpty ? defaultArms : arms.filter { names.contains($0.name) }
        for arm in selectedArms where !LibraryTargetFactory.has(arm.library) {
            throw CommandFailure(
                "arm '\(arm.name)' uses library: \(arm.library.rawValue); "
                    + LibraryTargetFactory.way(to: arm.library)
            )
        }
        return selectedArms
    }
}
