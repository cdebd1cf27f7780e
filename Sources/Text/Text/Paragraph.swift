/// A paragraph of a text report.
package enum Paragraph {
    /// Wraps a text, with prefixes for the first line and for the other lines.
    ///
    /// A word that exceeds the width, in characters, has a line of its own.
    package static func lines(
        _ text: String,
        first: String,
        rest: String,
        width: Int = 100
    ) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(whereSeparator: { $0 == " " || $0.isNewline }) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
