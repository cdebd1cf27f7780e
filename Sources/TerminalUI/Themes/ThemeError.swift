import Text
import YAML

/// The issues of an invalid theme.
package struct ThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    package var issues: [YAMLIssue]

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// The error for an unknown theme name.
package struct UnknownThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    package var name: String
    package var knownNames: [String]

    package init(name: String, knownNames: [String]) {
        self.name = name
        self.knownNames = knownNames
    }

    /// A message with the nearest known name and all known names.
    package var description: String {
        let nearest = NearestName.of(name, among: knownNames)
        let lead = nearest.map { "; did you mean '\($0)'? Themes: " } ?? "; expected one of: "
        return "there is no theme '\(name)'" + lead + knownNames.joined(separator: ", ")
    }
}
