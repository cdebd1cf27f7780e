/// The effect of a statement on transactions, determined by its first words.
enum TransactionKeyword: Sendable, Equatable {
    case begin
    case beginImmediate
    case commit
    case rollback
    case savepoint
    /// A statement that writes.
    case write
    case other

    init(_ text: String) {
        // The first tokens suffice, unless a common table expression precedes the verb.
        var words: [SQLTokens.Token] = []
        var depth = 0
        for token in SQLTokens(text) where token.kind != .space && token.kind != .comment {
            if token.isCharacter("(") { depth += 1 }
            if token.isCharacter(")") { depth -= 1 }
            if depth > 0 || token.kind != .word { continue }
            words.append(token)
            if words.count >= 3, words.first?.isWord("WITH") != true { break }
            if words.count > 64 { break }
        }
        guard let first = words.first else {
            self = .other
            return
        }
        let isVerb = { (token: SQLTokens.Token) in
            ["INSERT", "UPDATE", "DELETE", "REPLACE"].contains(token.text.uppercased())
        }
        if first.isWord("BEGIN") {
            let second = words.dropFirst().first
            let isImmediate = second?.isWord("IMMEDIATE") ?? false
            self =
                isImmediate || second?.isWord("EXCLUSIVE") ?? false ? .beginImmediate : .begin
        } else if first.isWord("COMMIT") || first.isWord("END") {
            self = .commit
        } else if first.isWord("ROLLBACK") {
            self = words.contains { $0.isWord("TO") } ? .other : .rollback
        } else if first.isWord("SAVEPOINT") {
            self = .savepoint
        } else if isVerb(first)
            || ["CREATE", "DROP", "ALTER", "REINDEX", "VACUUM", "ANALYZE"]
                .contains(first.text.uppercased())
        {
            self = .write
        } else if first.isWord("WITH"), words.contains(where: isVerb) {
            self = .write
        } else {
            self = .other
        }
    }

    /// Returns whether a connection is in autocommit mode after all statements in SQL text
    /// have succeeded.
    static func autocommit(after text: String, from initialState: Bool) -> Bool {
        var isAutocommit = initialState
        let tokens = Array(SQLTokens(text))
        for statement in tokens.split(whereSeparator: { $0.isCharacter(";") }) {
            let part = String(decoding: statement.flatMap(\.bytes), as: UTF8.self)
            switch TransactionKeyword(part) {
            case .begin, .beginImmediate, .savepoint: isAutocommit = false
            case .commit, .rollback: isAutocommit = true
            case .write, .other: break
            }
        }
        return isAutocommit
    }
}

/// Statements that SQLite runs internally.
enum InternalStatements {
    /// Returns whether SQLite uses text passed to `sqlite3_exec` to read the schema or statistics.
    static func contains(_ text: String) -> Bool {
        text.hasPrefix("SELECT*FROM\"") && text.hasSuffix(" ORDER BY rowid")
            || text.hasPrefix("SELECT tbl,idx,stat FROM ")
            || text.hasPrefix("SELECT name, rootpage, sql FROM ")
    }
}
