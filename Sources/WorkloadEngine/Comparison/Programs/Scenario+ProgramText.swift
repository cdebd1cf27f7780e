import Foundation

extension Scenario {
    /// Returns the scenario as YAML for another program, with only one arm of its file.
    ///
    /// Paths become absolute so that the text can be in any folder.
    ///
    /// - Throws: ``ScenarioError`` if the scenario has no file, or if the text would describe another
    ///   scenario.
    package func text(withArm name: String) throws(ScenarioError) -> String {
        var copy = self
        // A comparison of programs replaces the arms of the file.
        let original = try Scenario.parse(yaml: source, file: file).with(settings)
        copy.arms = original.arms.filter { $0.name == name }.map { arm in
            var arm = arm
            arm.file = arm.file.map { URL(fileURLWithPath: $0).path }
            return arm
        }
        if case .file(let path) = dataset { copy.dataset = .file(URL(fileURLWithPath: path).path) }
        let text = ScenarioEncoder.text(of: copy)
        let read = try Scenario.parse(yaml: text, file: file)
        guard read.clients == clients, read.phases == phases, read.drain == drain,
            read.transactions == transactions, read.thresholds == thresholds,
            read.variables == variables, read.dataInvariants == dataInvariants
        else {
            let message = "the scenario cannot be written for another program"
            throw ScenarioError(issues: [.init(file: file, message: message)])
        }
        return text
    }
}
