extension Scenario {
    /// The minimum warm-up of a run, unless the block is too short.
    private static let minimumWarmUp = Duration.milliseconds(500)

    /// The minimum of the limit on the time to wait for unfinished accesses.
    private static let minimumDrain = Duration.milliseconds(500)

    /// Returns the scenario with its phases, including a warm-up, scaled to the length of a block.
    ///
    /// - Throws: ``ScenarioError`` if a time in the scenario exceeds the length of the block.
    func scaled(toBlock duration: Duration) throws(ScenarioError) -> Scenario {
        var scenario = try scaled(toMeasured: duration)
        // Limit the drain. Otherwise, the wait for accesses that never end could be as long as the
        // block.
        scenario.drain = min(scenario.drain, max(Self.minimumDrain, duration / 6))
        let minimum = min(Self.minimumWarmUp, duration / 2)
        let warmUp = scenario.phases.prefix { !$0.isMeasured }
        let length = warmUp.reduce(Duration.zero) { $0 + $1.duration }
        if length == .zero {
            scenario.phases.insert(
                Phase(name: "warm-up", duration: minimum, isMeasured: false),
                at: 0
            )
        } else if length < minimum {
            for index in warmUp.indices {
                scenario.phases[index].duration =
                    scenario.phases[index].duration * (minimum / length)
            }
        }
        return scenario
    }
}
