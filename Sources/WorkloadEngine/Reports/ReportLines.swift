import Text

/// A type that joins the lines of a text report and escapes control characters.
///
/// The names and messages in a report come from scenarios and databases.
enum ReportLines {
    /// Returns the lines, each with a line feed and without control characters.
    static func text(_ lines: [String]) -> String {
        lines.map { Escaping.terminal($0) + "\n" }.joined()
    }
}
