import SQLText

/// A statement with `:name` parameters, which receive new values in each access.
package struct StatementTemplate: Sendable, Hashable {
    /// The statement as written.
    package let sql: String
    /// The parameter names without colons, in order of first appearance.
    ///
    /// `WorkloadSession.run(_:_:)` expects the values in this order.
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
        let tokens = SQLToken.significant(in: sql)
        for (index, token) in tokens.enumerated() where token.kind == .variable {
            guard token.text.utf8.first == UInt8(ascii: ":") else {
                unsupported.append(token.text)
                continue
            }
            // PostgreSQL's cast, `::type`, is not a parameter.
            let isCast = index > 0 && tokens[index - 1].text == ":" && !token.followsSpace
            let name = String(token.text.dropFirst())
            if !isCast, !parameters.contains(name) { parameters.append(name) }
        }
        self.parameters = parameters
        self.unsupportedParameters = unsupported
        verb = tokens.first { $0.kind == .word }?.keyword ?? ""
    }

    /// Splits text into statements at semicolons.
    ///
    /// The result omits empty statements and comments between statements. A trigger's body can
    /// contain semicolons. As in `sqlite3_complete`, the trigger ends with `; END ;`.
    package static func statements(in text: String) -> [String] {
        SQLStatements.texts(in: text)
    }
}
