package enum TextWrapping {
    /// Breaks text into lines of at most `width` columns.
    ///
    /// A word that exceeds this width occupies a separate line, which is truncated when drawn.
    package static func lines(of text: String, width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var lineWidth = 0
        for word in text.split(separator: " ") {
            let wordWidth = CellText.width(of: String(word))
            if line.isEmpty {
                line = String(word)
                lineWidth = wordWidth
            } else if lineWidth + 1 + wordWidth <= width {
                line += " " + word
                lineWidth += 1 + wordWidth
            } else {
                lines.append(line)
                line = String(word)
                lineWidth = wordWidth
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
