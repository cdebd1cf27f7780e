import Text

extension Scenario {
    /// Returns the arm with the given name.
    ///
    /// - Throws: ``RunError``, which suggests the nearest name, if there is no such arm.
    package func arm(named name: String) throws(RunError) -> Arm {
        guard let arm = arms.first(where: { $0.name == name }) else {
            throw RunError(
                .scenario,
                "\(self.name) has no arm '\(name)'"
                    + NearestName.hint(name, among: arms.map(\.name))
            )
        }
        return arm
    }
}
