import SQLText

/// What the text of a statement tells a check.
struct CheckedStatement {
    /// The normalized text.
    var text: String
    var kind: SQLStatementKind
    /// Whether the statement is a query of tables, and not of the schema.
    var readsTables = false
    /// Whether it selects rows by a condition.
    var hasCondition = false
    /// Whether it returns other rows than those that it sorts: `LIMIT`, `GROUP BY`, or `DISTINCT`.
    var returnsFewer = false
    /// Whether it has a parameter or a literal.
    var hasValue = false
    /// The table that it changes, in lowercase.
    var table: String?
    /// The tables between which it creates foreign keys, in lowercase.
    var keyTables: [String] = []
    var pragma: SQLPragma?

    private static let schemaTables: Set = [
        "SQLITE_MASTER", "SQLITE_SCHEMA", "SQLITE_TEMP_MASTER", "SQLITE_TEMP_SCHEMA",
    ]

    /// - Parameters:
    ///   - sql: The statement.
    ///   - identifiers: The names in the schema, in lowercase.
    init(_ sql: String, identifiers: Set<String> = []) {
        text = StatementText.normalized(sql, identifiers: identifiers)
        kind = SQLStatementKind(sql)
        switch kind {
        case .other, .change, .schemaChange: break
        case .pragma:
            pragma = SQLPragma(sql)
            return
        default: return
        }
        let tokens = SQLToken.significant(in: sql).drop { $0.isSymbol(";") }
        if kind == .schemaChange {
            keyTables = Self.keyTables(Array(tokens))
            return
        }
        var isSchemaQuery = false
        var (hasFrom, hasLimit) = (false, false)
        for token in tokens {
            switch token.kind {
            case .string, .number, .blob, .variable: hasValue = true
            case .word:
                switch token.keyword {
                case "WHERE", "ON", "USING", "HAVING": hasCondition = true
                case "LIMIT", "GROUP", "DISTINCT": hasLimit = true
                case "FROM": hasFrom = true
                case let word where Self.schemaTables.contains(word): isSchemaQuery = true
                case let word where word.hasPrefix("PRAGMA_"): isSchemaQuery = true
                default: break
                }
            case .doubleQuoted, .quoted:
                if Self.schemaTables.contains(token.unquoted.uppercased()) { isSchemaQuery = true }
            default: break
            }
        }
        returnsFewer = hasLimit
        let isExplanation = tokens.first?.keyword == "EXPLAIN"
        readsTables = kind == .other && hasFrom && !isSchemaQuery && !isExplanation
        if kind == .change { table = Self.target(Array(tokens)) }
    }

    /// Returns the names that a change of the schema contains, in lowercase, and some of its keywords.
    static func names(in sql: String) -> [String] {
        SQLToken.significant(in: sql).filter { $0.isName && $0.text.utf8.count <= nameLength }
            .map { $0.unquoted.lowercased() }
    }

    private static let nameLength = 128

    /// Returns the name at an index, after the name of its schema, if any.
    private static func name(_ tokens: [SQLToken], _ index: Int) -> String? {
        guard index < tokens.count else { return nil }
        let isQualified = index + 2 < tokens.count && tokens[index + 1].isSymbol(".")
        let token = tokens[isQualified ? index + 2 : index]
        return token.isName || token.kind == .string ? token.unquoted.lowercased() : nil
    }

    /// Returns the table that a change changes.
    private static func target(_ tokens: [SQLToken]) -> String? {
        var depth = 0
        for index in tokens.indices {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            guard depth == 0 else { continue }
            switch tokens[index].keyword {
            case "INTO": return name(tokens, index + 1)
            case "FROM" where index > 0 && tokens[index - 1].keyword == "DELETE":
                return name(tokens, index + 1)
            case "UPDATE":
                let isQualified = index + 1 < tokens.count && tokens[index + 1].keyword == "OR"
                return name(tokens, index + (isQualified ? 3 : 1))
            default: break
            }
        }
        return nil
    }

    private static func keyTables(_ tokens: [SQLToken]) -> [String] {
        let parents = tokens.indices.filter { tokens[$0].keyword == "REFERENCES" }
            .compactMap { name(tokens, $0 + 1) }
        guard !parents.isEmpty, ["CREATE", "ALTER"].contains(tokens.first?.keyword),
            let word = tokens.prefix(3).firstIndex(where: { $0.keyword == "TABLE" })
        else { return [] }
        let isConditional = word + 1 < tokens.count && tokens[word + 1].keyword == "IF"
        let child = name(tokens, word + (isConditional ? 4 : 1))
        return [child].compactMap(\.self) + parents
    }
}

/// The texts of statements in the configuration of a check.
package enum CheckedText {
    /// Returns a statement formatted like those of findings.
    ///
    /// `…` or `...` at the end stands for any text.
    package static func pattern(_ text: String) -> String {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isStart = text.hasSuffix("…") || text.hasSuffix("...")
        guard isStart else { return StatementText.normalized(text) }
        let start = text.hasSuffix("…") ? text.dropLast() : text.dropLast(3)
        return StatementText.normalized(String(start)) + "…"
    }
}
