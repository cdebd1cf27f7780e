/// The texts in quotes that are part of a statement's structure and not data.
package enum SQLStructure {
    /// Returns whether the text at an index is the path of a JSON operator or function, or a command
    /// of a full-text index.
    ///
    /// With another text, the statement does something else or fails. The tokens are the significant
    /// tokens of a statement, and the index is that of a text in single quotes.
    package static func contains(_ tokens: [SQLToken], _ index: Int) -> Bool {
        let before = tokens[..<index]
        guard let previous = before.last else { return false }
        if previous.isSymbol("->") || previous.isSymbol("->>") { return true }
        if tokens[index].unquoted.hasPrefix("$"), previous.isSymbol(",") {
            return function(around: before)?.hasPrefix("JSON") == true
        }
        return previous.isSymbol("(") && commands.contains(tokens[index].unquoted)
            && isCommand(before.dropLast())
    }

    /// The commands of FTS3, FTS4, and FTS5 (<https://sqlite.org/fts5.html#special_insert_commands>).
    private static let commands: Set = [
        "automerge", "crisismerge", "delete", "delete-all", "deletemerge", "insttoken",
        "integrity-check", "merge", "optimize", "pgsz", "rank", "rebuild", "secure-delete",
        "usermerge",
    ]

    /// The maximum number of tokens between a function's name and a path.
    private static let distance = 64

    /// Returns the name of the function whose arguments the tokens end in, in uppercase.
    private static func function(around tokens: ArraySlice<SQLToken>) -> String? {
        var depth = 0
        for index in tokens.indices.suffix(distance).reversed() {
            if tokens[index].isSymbol(")") { depth += 1 }
            guard tokens[index].isSymbol("(") else { continue }
            guard depth == 0 else {
                depth -= 1
                continue
            }
            return index > tokens.startIndex ? tokens[index - 1].keyword : nil
        }
        return nil
    }

    /// Returns whether the tokens end with `name(name, …) VALUES`, where the first column has the
    /// name of the table.
    private static func isCommand(_ tokens: ArraySlice<SQLToken>) -> Bool {
        guard tokens.last?.keyword == "VALUES" else { return false }
        let list = tokens.dropLast()
        guard list.last?.isSymbol(")") == true,
            let open = list.indices.suffix(distance).last(where: { list[$0].isSymbol("(") }),
            open > list.startIndex, open + 1 < list.endIndex
        else { return false }
        return list[open - 1].unquoted.lowercased() == list[open + 1].unquoted.lowercased()
    }
}
