import Text

/// A type that joins the lines of a text report and escapes control characters.
///
/// The names and messages in a report come from scenarios and databases.
enum ReportLines {
    /// Returns the lines, each with a line feed and without control characters.
    static func text(_ lines: [String]) -> String {
        lines.map { Escaping.terminal($0) + "\n" }.joined()
    }

    /// The width of a report, in characters.
    private static let width = 100

    /// Breaks a line that is too long, unless it belongs to a table.
    static func wrapped(_ line: String) -> [String] {
        let indent = String(line.prefix { $0 == " " })
        let text = String(line.dropFirst(indent.count))
        guard line.count > width, text.ranges(of: "  ").count < 2 else { return [line] }
        return Paragraph.lines(text, first: indent, rest: indent + "  ", width: width)
    }
}
