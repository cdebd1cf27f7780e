import Foundation
import Yams

extension Scenario {
    /// Returns the scenario as YAML for another program, with current phases and only one arm.
    ///
    /// The scale, the seed, and the number of readers are those in the file, because the command
    /// has options for them. Paths become absolute so that the text can be in any folder.
    ///
    /// - Throws: ``ScenarioError`` if the scenario was created in code and has no text.
    package func text(withArm name: String) throws(ScenarioError) -> String {
        func failure(_ message: String) -> ScenarioError {
            ScenarioError(issues: [.init(file: file, message: message)])
        }
        let text: String
        do {
            guard var root = try Yams.compose(yaml: source) else {
                throw failure("a scenario created in code has no YAML to pass to another program")
            }
            for setting in settings { try SettingPath(setting, in: root).apply(to: &root) }
            root["phases"] = try Node(phases.map { try $0.node })
            root["drain"] = Node("\(drain.wholeNanoseconds)ns")
            root["arms"] = root["arms"]?.mapping?.first { $0.key.string == name }.map { arm in
                Node([(arm.key, absolute(arm.value))])
            }
            root["dataset"] = root["dataset"].map(absolute)
            text = try Yams.serialize(node: root, allowUnicode: true)
        } catch let error as ScenarioError {
            throw error
        } catch {
            throw failure("the scenario cannot be converted to YAML for another program: \(error)")
        }
        let copy = try Scenario.parse(yaml: text, file: file)
        guard copy.clients == clients, copy.phases == phases, copy.drain == drain,
            copy.transactions == transactions, copy.thresholds == thresholds
        else { throw failure("the scenario cannot be written for another program") }
        return text
    }

    /// Returns a node with an absolute path in its `file` key, if any.
    private func absolute(_ node: Node) -> Node {
        guard let path = node["file"]?.string else { return node }
        var node = node
        let resolved = ScenarioDecoder.path(path, relativeTo: file)
        node["file"] = Node(URL(fileURLWithPath: resolved).path)
        return node
    }
}

extension Phase {
    fileprivate var node: Node {
        get throws {
            try Node([
                "name": Node(name),
                "duration": Node("\(duration.wholeNanoseconds)ns"),
                "measure": Node(isMeasured),
            ])
        }
    }
}
