extension Surface {
    /// The characters, with one line per row and no trailing spaces.
    package var plainText: String {
        var text = ""
        for y in 0..<size.height {
            var line = ""
            var lastInk = line.endIndex
            for x in 0..<size.width {
                line += self[x, y].character
                if self[x, y].character != " " { lastInk = line.endIndex }
            }
            text += line[..<lastInk]
            text += "\n"
        }
        return text
    }
}
