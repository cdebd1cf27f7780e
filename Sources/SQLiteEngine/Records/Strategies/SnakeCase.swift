/// Conversions between snake case and camel case.
///
/// The results match those of Foundation's JSON coders, so a type uses the same names for columns
/// and JSON keys.
enum SnakeCase {
    /// Returns the column for a key, such as `my_url_property` for `myURLProperty`.
    static func column(of key: String) -> String {
        let characters = Array(key)
        var column = ""
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase {
                // A word starts at an uppercase letter that follows another kind of character or
                // precedes a lowercase letter.
                let isFirst = !characters[index - 1].isUppercase
                let isLast = index + 1 < characters.count && characters[index + 1].isLowercase
                if isFirst || isLast, characters[index - 1] != "_" { column += "_" }
            }
            column += character.lowercased()
        }
        return column
    }

    /// Returns the key for a column, such as `myUrlProperty` for `my_url_property`.
    ///
    /// This method preserves leading and trailing underscores. It returns a single word unchanged,
    /// because the word may already contain uppercase letters.
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
