/// All that is wrong with a scenario, each with its place.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Issue: Sendable, Equatable, CustomStringConvertible {
        /// The file's name as it was given, or the name of a preset.
        public var file: String
        /// The line, from 1; nil when the whole file is meant.
        public var line: Int?
        /// The column in Unicode scalars, from 1; nil when the whole file is meant.
        public var column: Int?
        /// What is wrong, the text that is, and what was expected.
        public var message: String

        /// Creates an issue.
        public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
        }

        /// `file:line:column: message`, which editors turn into a link.
        public var description: String {
            var place = file
            if let line {
                place += ":\(line)"
                if let column { place += ":\(column)" }
            }
            return place.isEmpty ? message : "\(place): \(message)"
        }
    }

    /// What is wrong, in the order of the file.
    public var issues: [Issue]

    /// Creates an error of at least one issue.
    public init(issues: [Issue]) { self.issues = issues }

    /// One line for each issue.
    public var description: String {
        issues.map(\.description).joined(separator: "\n")
    }
}
