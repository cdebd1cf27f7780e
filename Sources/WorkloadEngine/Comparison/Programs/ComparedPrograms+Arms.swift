extension ComparedPrograms {
    /// Returns the common arm once for each program, with the program's name.
    ///
    /// - Throws: ``RunError`` if the scenario does not have the arm.
    func arms(of scenario: Scenario) throws -> [Arm] {
        let arm = try scenario.arm(named: arm)
        return programs.map { program in
            var renamed = arm
            renamed.name = program.name
            return renamed
        }
    }
}
