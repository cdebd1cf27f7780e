import Units

/// An error that lists the issues of an invalid theme.
package struct ThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An issue in a theme file.
    package struct Issue: Sendable, Equatable, CustomStringConvertible {
        /// The name of the file.
        package var file: String
        /// The line number, starting at 1.
        package var line: Int
        /// The column number, starting at 1.
        package var column: Int
        /// A description of the issue, with the expected value or the nearest valid name.
        package var message: String

        /// The issue in the form `file:line:column: message`.
        package var description: String { "\(file):\(line):\(column): \(message)" }
    }

    /// All issues in the file, in order.
    package var issues: [Issue]

    /// The issues, one per line.
    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// The error for an unknown theme name.
package struct UnknownThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The unknown name.
    package var name: String
    /// The known names.
    package var known: [String]

    /// Creates an error for an unknown name.
    package init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }

    /// A message with the unknown name, the nearest known name, and all known names.
    package var description: String {
        let hint = NearestName.hint(name, among: known)
        let lead = hint.isEmpty ? "; themes: " : "\(hint) Themes: "
        return "there is no theme '\(name)'" + lead + known.joined(separator: ", ")
    }
}
