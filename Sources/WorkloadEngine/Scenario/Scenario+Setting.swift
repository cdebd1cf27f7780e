import Yams

extension Scenario {
    /// A change of a scenario outside its file: `clients.ui.arrival.rate=500/s`.
    public struct Setting: Sendable, Equatable, CustomStringConvertible {
        /// The path of the value: keys separated by dots; an entry of a list by its `name`, or by
        /// its index.
        public var path: String
        /// The value, as YAML.
        public var value: String

        /// Parses `path=value`.
        ///
        /// - Throws: ``ScenarioError`` if there is no `=`, or nothing before it.
        public init(_ text: String) throws(ScenarioError) {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw ScenarioError(issues: [
                    .init(
                        file: "",
                        message: "'\(text)' is not a setting; write path=value, such as "
                            + "clients.ui.arrival.rate=500/s"
                    )
                ])
            }
            path = String(text[..<sign])
            value = String(text[text.index(after: sign)...])
        }

        /// `path=value`.
        public var description: String { "\(path)=\(value)" }
    }

    /// Returns the scenario with replaced parts of its file, and checks the result.
    ///
    /// - Parameter settings: The changes, applied in order.
    /// - Returns: The changed scenario; its ``source`` ends with a comment for each change.
    /// - Throws: ``ScenarioError`` for an unknown path, with the nearest known one, or for errors
    ///   in the changed scenario.
    public func with(_ settings: [Setting]) throws(ScenarioError) -> Scenario {
        guard !settings.isEmpty else { return self }
        let composed: Node?
        do { composed = try Yams.compose(yaml: source) } catch { composed = nil }
        guard var root = composed else {
            throw ScenarioError(issues: [
                .init(file: file, message: "a scenario created in code has no paths to set")
            ])
        }
        for setting in settings {
            do {
                try SettingPath(setting, in: root).apply(to: &root)
            } catch let failure as SettingPath.Failure {
                throw ScenarioError(issues: [
                    .init(file: "", message: "'\(setting)': \(failure.message)")
                ])
            } catch {
                throw ScenarioError(issues: [.init(file: "", message: "'\(setting)': \(error)")])
            }
        }
        var changed: Scenario
        var decoder = ScenarioDecoder(file: file)
        do {
            changed = try decoder.decode(source, from: root)
        } catch {
            // The file is valid, so the changes cause these errors.
            let named = settings.map { "'\($0)'" }.joined(separator: ", ")
            throw ScenarioError(
                issues: error.issues.map { .init(file: "", message: "\(named): \($0.message)") }
            )
        }
        changed.settings = settings
        if !changed.source.hasSuffix("\n") { changed.source += "\n" }
        for setting in settings { changed.source += "# --set \(setting)\n" }
        return changed
    }
}
