/// Names with underscores between their words, and names with capitals there.
///
/// The same names as Foundation's JSON coders make, so that a type's columns and its JSON agree.
enum SnakeCase {
    /// `my_url_property` for `myURLProperty`.
    static func column(of key: String) -> String {
        let characters = Array(key)
        var column = ""
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase {
                // A word begins after a small letter, and at the last capital of several.
                let isFirst = !characters[index - 1].isUppercase
                let isLast = index + 1 < characters.count && characters[index + 1].isLowercase
                if isFirst || isLast, characters[index - 1] != "_" { column += "_" }
            }
            column += character.lowercased()
        }
        return column
    }

    /// `myUrlProperty` for `my_url_property`.
    ///
    /// Underscores at the ends stay. A single word stays as it is: it may have capitals already.
    static func key(of column: String) -> String {
        let leading = column.prefix { $0 == "_" }
        let rest = column.dropFirst(leading.count)
        let trailing = rest.reversed().prefix { $0 == "_" }.count
        let words = rest.dropLast(trailing).split(separator: "_")
        guard words.count > 1 else { return column }
        let others = words.dropFirst().map {
            $0.prefix(1).uppercased() + $0.dropFirst().lowercased()
        }
        return leading + words[0].lowercased() + others.joined()
            + String(repeating: "_", count: trailing)
    }
}
