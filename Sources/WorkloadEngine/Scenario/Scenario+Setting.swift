import YAML

extension Scenario {
    /// A change to a value in a scenario's file, such as `clients.ui.arrival.rate=500/s`.
    public struct Setting: Sendable, Equatable, CustomStringConvertible {
        /// The path of the value, with keys separated by dots.
        ///
        /// A `name` or an index identifies an entry in a list.
        public var path: String
        /// The value, as YAML.
        public var value: String

        /// Parses `path=value`.
        ///
        /// - Throws: ``ScenarioError`` if there is no `=` or no path.
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

        /// The setting as `path=value`.
        public var description: String { "\(path)=\(value)" }
    }

    /// Applies settings to the scenario's file and decodes the result.
    ///
    /// - Parameter settings: The changes, applied in order.
    /// - Returns: The changed scenario, with a comment for each change at the end of ``source``.
    /// - Throws: ``ScenarioError`` if a path is unknown or the changed scenario is invalid. For
    ///   an unknown path, the error suggests the nearest known path.
    public func with(_ settings: [Setting]) throws(ScenarioError) -> Scenario {
        guard !settings.isEmpty else { return self }
        guard case .root(var root) = YAMLLog(file: file).document(source) else {
            throw ScenarioError(issues: [
                .init(file: file, message: "a scenario created in code has no paths to set")
            ])
        }
        for setting in settings {
            do {
                try SettingPath(setting, in: root).apply(to: &root)
            } catch let failure as SettingPath.Failure {
                throw ScenarioError(issues: [
                    .init(file: "", message: "--set '\(setting)': \(failure.message)")
                ])
            } catch {
                throw ScenarioError(issues: [
                    .init(file: "", message: "--set '\(setting)': \(error)")
                ])
            }
        }
        var changed: Scenario
        var decoder = ScenarioDecoder(file: file)
        do {
            changed = try decoder.decode(source, from: root)
        } catch {
            // The original file is valid, so the changes cause these errors.
            let named = settings.map { "--set '\($0)'" }.joined(separator: ", ")
            throw ScenarioError(
                issues: error.issues.map { .init(file: "", message: "\(named): \($0.message)") }
            )
        }
        changed.settings = settings
        if arms.contains(where: { $0.driver?.isAllowed == true }) { changed.allowCommands() }
        if !changed.source.hasSuffix("\n") { changed.source += "\n" }
        for setting in settings { changed.source += "# --set \(setting)\n" }
        return changed
    }
}
