/// A theme that cannot be used: what is wrong with it, and where.
package struct ThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One mistake.
    package struct Issue: Sendable, Equatable, CustomStringConvertible {
        /// The file, as it was named.
        package var file: String
        /// The line, from 1.
        package var line: Int
        /// The column, from 1.
        package var column: Int
        /// What is wrong, what was expected, and the nearest valid name.
        package var message: String

        /// `file:line:column: message`.
        package var description: String { "\(file):\(line):\(column): \(message)" }
    }

    /// Every mistake of the file, in its order.
    package var issues: [Issue]

    /// The issues, one a line.
    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// A name that no theme has.
package struct UnknownThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name that was asked for.
    package var name: String
    /// The names that there are.
    package var known: [String]

    /// Creates an error.
    package init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }

    /// What was asked for, the nearest name and all names.
    package var description: String {
        let hint = NearestName.hint(for: name, among: known)
        return "there is no theme '\(name)'\(hint); themes: \(known.joined(separator: ", "))"
    }
}
