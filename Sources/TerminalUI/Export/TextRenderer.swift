extension Surface {
    /// The characters, with one line per row and no trailing spaces.
    package var plainText: String {
        var text = ""
        for y in 0..<size.height {
            var line = ""
            var textEnd = line.endIndex
            for x in 0..<size.width {
                line += self[x, y].character
                if self[x, y].character != " " { textEnd = line.endIndex }
            }
            text += line[..<textEnd]
            text += "\n"
        }
        return text
    }
}
