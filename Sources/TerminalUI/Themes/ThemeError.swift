import Text

/// The issues of an invalid theme.
package struct ThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Issue: Sendable, Equatable, CustomStringConvertible {
        package var file: String
        /// The line, starting at 1.
        package var line: Int
        /// The column, starting at 1.
        package var column: Int
        /// A description with the expected value or the nearest valid name.
        package var message: String

        /// The issue as `file:line:column: message`.
        package var description: String { "\(file):\(line):\(column): \(message)" }
    }

    package var issues: [Issue]

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
