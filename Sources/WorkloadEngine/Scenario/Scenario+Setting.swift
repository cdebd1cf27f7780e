import Yams

extension Scenario {
    /// One change of a scenario from outside its file: `clients.ui.arrival.rate=500/s`.
    public struct Setting: Sendable, Equatable, CustomStringConvertible {
        /// Where the value goes: keys with dots between them; an entry of a list by its `name`, or
        /// by its number from 0.
        public var path: String
        /// The value, as YAML.
        public var value: String

        /// Reads `path=value`.
        ///
        /// - Throws: ``ScenarioError`` when there is no `=`, or nothing before it.
        public init(_ text: String) throws(ScenarioError) {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw ScenarioError(issues: [
                    .init(
                        file: "",
                        message: "'\(text)' sets nothing; write path=value, such as "
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

    /// The scenario with parts of its file replaced, and all of it checked again.
    ///
    /// - Parameter settings: The changes, made in their order.
    /// - Returns: The changed scenario; its ``source`` ends with a comment for each change.
    /// - Throws: A path that leads nowhere, with the nearest one that does; or what is wrong with
    ///   the changed scenario.
    public func with(_ settings: [Setting]) throws(ScenarioError) -> Scenario {
        guard !settings.isEmpty else { return self }
        let composed: Node?
        do { composed = try Yams.compose(yaml: source) } catch { composed = nil }
        guard var root = composed else {
            throw ScenarioError(issues: [
                .init(file: file, message: "a scenario made in code has no paths to set")
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
            // The file itself is fine: whatever is wrong now, these changes did.
            let named = settings.map { "'\($0)'" }.joined(separator: ", ")
            throw ScenarioError(
                issues: error.issues.map { .init(file: "", message: "\(named): \($0.message)") }
            )
        }
        if !changed.source.hasSuffix("\n") { changed.source += "\n" }
        for setting in settings { changed.source += "# --set \(setting)\n" }
        return changed
    }
}
