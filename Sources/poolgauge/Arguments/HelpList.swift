/// A list in a help text.
enum HelpList {
    /// The maximum length of a line, so that a terminal with 80 columns does not wrap it.
    private static let width = 78

    /// Returns a list with one item for each term.
    ///
    /// The lines are indented, and continuation lines are indented further.
    static func text(_ items: [(term: String, meaning: String)]) -> String {
        items.flatMap { lines("  \($0.term): \($0.meaning)") }.joined(separator: "\n")
    }

    private static func lines(_ item: String) -> [String] {
        var lines: [String] = []
        var line = " "
        for word in item.split(separator: " ") {
            if line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: 4)
            }
            line += " " + word
        }
        return lines + [line]
    }
}
