/// The errors in a scenario, with their positions.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An error in a scenario.
    public struct Issue: Sendable, Equatable, CustomStringConvertible {
        /// The file's name as given, or a preset's name.
        public var file: String
        /// The line, starting at 1, or `nil` for the whole file.
        public var line: Int?
        /// The column in Unicode scalars, starting at 1, or `nil` for the whole file.
        public var column: Int?
        /// A message with the problem, the affected text, and the expected form.
        public var message: String

        /// Creates an issue.
        public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
        }

        /// The issue as `file:line:column: message`, a format that editors recognize as a link.
        public var description: String {
            var place = file
            if let line {
                place += ":\(line)"
                if let column { place += ":\(column)" }
            }
            return place.isEmpty ? message : "\(place): \(message)"
        }
    }

    /// The issues, in file order.
    public var issues: [Issue]

    /// Creates an error with at least one issue.
    public init(issues: [Issue]) { self.issues = issues }

    /// The issues, one per line.
    public var description: String {
        issues.map(\.description).joined(separator: "\n")
    }
}
