import Yams

extension Scenario {
    /// A change to a scenario that is made outside its file, such as
    /// `clients.ui.arrival.rate=500/s`.
    public struct Setting: Sendable, Equatable, CustomStringConvertible {
        /// The value's path: keys separated by dots.
        ///
        /// A list entry is identified by its `name` or its index.
        public var path: String
        /// The value, as YAML.
        public var value: String

        /// Parses `path=value`.
        ///
        /// - Throws: ``ScenarioError`` if there is no `=` or nothing before it.
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

    /// Returns the scenario after replacing parts of its file and checking the result.
    ///
    /// - Parameter settings: The changes, applied in order.
    /// - Returns: The changed scenario, whose ``source`` ends with a comment for each change.
    /// - Throws: ``ScenarioError`` if a path is unknown or if the changed scenario has errors. For
    ///   an unknown path, the error suggests the nearest known path.
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
            // The unchanged file is valid, so the changes cause these errors.
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
