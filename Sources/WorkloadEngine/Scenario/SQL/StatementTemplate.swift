/// A statement with `:name` parameters, which receive new values in each access.
package struct StatementTemplate: Sendable, Hashable {
    /// The statement as written.
    package let sql: String
    /// The parameter names without colons, in order of first appearance.
    ///
    /// ``WorkloadSession/run(_:_:)`` expects the values in this order.
    package let parameters: [String]
    /// The parameters in unsupported forms: `?`, `?1`, `@name`, or `$name`.
    package let unsupportedParameters: [String]
    /// The first word in uppercase, such as `SELECT`, or an empty string if there is none.
    package let verb: String

    /// Creates a template by finding a statement's parameters.
    ///
    /// Strings, quoted names, comments, and `::` do not contain parameters.
    package init(sql: String) {
        self.sql = sql
        var parameters: [String] = []
        var unsupported: [String] = []
        var verb = ""
        let tokens = SQLTokenizer(sql)
        for token in tokens {
            let text = tokens.text(token)
            switch token.kind {
            case .parameter:
                let name = String(text.dropFirst())
                if !parameters.contains(name) { parameters.append(name) }
            case .unsupportedParameter:
                unsupported.append(text)
            case .word where verb.isEmpty:
                verb = text.uppercased()
            case .word, .semicolon, .other:
                break
            }
        }
        self.parameters = parameters
        self.unsupportedParameters = unsupported
        self.verb = verb
    }

    /// Splits text into statements at semicolons.
    ///
    /// The result omits empty statements and comments between statements. A trigger's body can
    /// contain semicolons. As in `sqlite3_complete`, the trigger ends with `; END ;`.
    package static func statements(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        let tokens = SQLTokenizer(text)
        var statements: [String] = []
        var words: [String] = []
        var lastTokens: [SQLTokenizer.Token] = []
        var start: Int?
        var end = 0
        func finish() {
            if let start { statements.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
        }
        for token in tokens {
            if token.kind == .semicolon,
                !isInsideTrigger(words: words, lastTokens: lastTokens, of: tokens)
            {
                finish()
                (start, words, lastTokens) = (nil, [], [])
                continue
            }
            start = start ?? token.range.lowerBound
            end = token.range.upperBound
            if words.count < 3, token.kind == .word {
                words.append(tokens.text(token).uppercased())
            }
            lastTokens = lastTokens.suffix(1) + [token]
        }
        finish()
        return statements
    }

    private static func isInsideTrigger(
        words: [String],
        lastTokens: [SQLTokenizer.Token],
        of tokens: SQLTokenizer
    ) -> Bool {
        guard words.first == "CREATE" else { return false }
        let second = words.dropFirst().first
        let isTemporary = second == "TEMP" || second == "TEMPORARY"
        guard (isTemporary ? words.last : second) == "TRIGGER" else { return false }
        return
            !(lastTokens.count == 2 && lastTokens[0].kind == .semicolon
            && tokens.text(lastTokens[1]).uppercased() == "END")
    }
}
