import Units

extension ComparedPrograms {
    /// Returns the common arm once for each program, with the program's name.
    ///
    /// - Throws: ``RunError`` if the scenario does not have the arm.
    func arms(of scenario: Scenario) throws -> [Arm] {
        let arm = try commonArm(of: scenario)
        return programs.map { program in
            var own = arm
            own.name = program.name
            return own
        }
    }

    func commonArm(of scenario: Scenario) throws -> Arm {
        if let arm = scenario.arms.first(where: { $0.name == arm }) { return arm }
        throw RunError(
            .scenario,
            "\(scenario.name) has no arm '\(arm)'"
                + NearestName.hint(arm, among: scenario.arms.map(\.name))
        )
    }
}
