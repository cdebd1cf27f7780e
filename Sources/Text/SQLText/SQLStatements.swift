/// The statements of a text that may contain several of them.
package enum SQLStatements {
    /// Returns the position of each statement in a text, in bytes.
    ///
    /// Semicolons separate statements. A trigger's body can contain semicolons; as in
    /// `sqlite3_complete`, the trigger ends with `; END ;`. A range begins and ends with a token
    /// of its statement, without the semicolon. Statements without tokens are omitted.
    package static func ranges(in text: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var words: [String] = []
        var last: [SQLToken] = []
        var range: Range<Int>?
        for token in SQLToken.significant(in: text) {
            if token.isSymbol(";"), !isInsideTrigger(words, last) {
                if let range { ranges.append(range) }
                (range, words, last) = (nil, [], [])
                continue
            }
            range = (range?.lowerBound ?? token.range.lowerBound)..<token.range.upperBound
            if words.count < 3, token.kind == .word { words.append(token.keyword) }
            last = last.suffix(1) + [token]
        }
        if let range { ranges.append(range) }
        return ranges
    }

    private static func isInsideTrigger(_ words: [String], _ last: [SQLToken]) -> Bool {
        guard words.first == "CREATE" else { return false }
        let second = words.dropFirst().first
        let isTemporary = second == "TEMP" || second == "TEMPORARY"
        guard (isTemporary ? words.last : second) == "TRIGGER" else { return false }
        return !(last.count == 2 && last[0].isSymbol(";") && last[1].keyword == "END")
    }

    /// Returns the text of each statement.
    package static func texts(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return ranges(in: text).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Returns whether a connection is in autocommit mode after all statements of a text have
    /// succeeded.
    package static func autocommit(after text: String, from initialState: Bool) -> Bool {
        var isAutocommit = initialState
        // A single statement, as most executions are, requires no tokens.
        let hasSeveral = text.utf8.contains(UInt8(ascii: ";"))
        for statement in hasSeveral ? texts(in: text) : [text] {
            switch SQLStatementKind(statement) {
            case .begin, .savepoint: isAutocommit = false
            case .commit, .rollback: isAutocommit = true
            default: break
            }
        }
        return isAutocommit
    }
}
