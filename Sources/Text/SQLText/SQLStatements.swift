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
            if token.isSymbol(";"), !isInsideTrigger(words, last: last) {
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

    private static func isInsideTrigger(_ words: [String], last: [SQLToken]) -> Bool {
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

/// What a statement does to the transaction, the schema, or the connection, as determined from its
/// first words.
///
/// For the grammar, see <https://sqlite.org/lang_transaction.html> and
/// <https://sqlite.org/lang_savepoint.html>.
package enum SQLStatementKind: Sendable, Equatable {
    package enum Begin: Sendable, Equatable {
        case deferred, immediate, exclusive
    }

    case begin(Begin)
    /// `COMMIT` or `END`.
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)
    /// `INSERT`, `REPLACE`, `UPDATE`, or `DELETE`, also after `WITH`.
    case change
    /// `CREATE`, `DROP`, `ALTER`, or `ANALYZE`, which creates tables for its statistics.
    case schemaChange
    case reindex
    case vacuum(isInto: Bool)
    /// `ATTACH` or `DETACH`.
    case attachment
    /// A pragma's lowercase name without the schema, and whether it has no value.
    case pragma(name: String, isQuery: Bool)
    /// Any other statement, such as `SELECT` and `EXPLAIN`, or no statement.
    case other

    /// Determines the kind of the first statement in a text.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { bytes in
            bytes.baseAddress.map { SQLStatementKind($0, count: bytes.count) } ?? .other
        }
    }

    /// Determines the kind of the first statement, without allocating memory unless the statement
    /// contains a name.
    package init(_ base: UnsafePointer<UInt8>, count: Int = .max) {
        var lexer = SQLLexer(base, count: count)
        self.init(&lexer)
    }

    /// Reads the first words of the next statement.
    private init(_ lexer: inout SQLLexer) {
        self = .other
        while let kind = lexer.nextSignificant() {
            if lexer.isCharacter(UInt8(ascii: ";")) { continue }
            guard kind == .word else { return }
            break
        }
        if lexer.isWord("SELECT") { return }
        if Self.isChange(lexer) || lexer.isWord("WITH") && Self.changesAfterWith(&lexer) {
            self = .change
        } else if lexer.isWord("BEGIN") {
            _ = lexer.nextSignificant()
            let isImmediate = lexer.isWord("IMMEDIATE")
            self = .begin(
                isImmediate ? .immediate : lexer.isWord("EXCLUSIVE") ? .exclusive : .deferred
            )
        } else if lexer.isWord("COMMIT") || lexer.isWord("END") {
            self = .commit
        } else if lexer.isWord("ROLLBACK") {
            self = Self.rollback(&lexer)
        } else if lexer.isWord("SAVEPOINT") {
            self = .savepoint(Self.name(&lexer) ?? "")
        } else if lexer.isWord("RELEASE") {
            self = .release(Self.savepointName(&lexer))
        } else if lexer.isWord("CREATE") || lexer.isWord("DROP") || lexer.isWord("ALTER")
            || lexer.isWord("ANALYZE")
        {
            self = .schemaChange
        } else if lexer.isWord("ATTACH") || lexer.isWord("DETACH") {
            self = .attachment
        } else if lexer.isWord("REINDEX") {
            self = .reindex
        } else if lexer.isWord("VACUUM") {
            _ = lexer.nextSignificant()
            if !lexer.isWord("INTO") { _ = lexer.nextSignificant() }
            self = .vacuum(isInto: lexer.isWord("INTO"))
        } else if lexer.isWord("PRAGMA") {
            self = Self.pragma(&lexer)
        }
    }

    /// Whether the statement begins a transaction, or a savepoint in a transaction.
    package var beginsTransaction: Bool {
        switch self {
        case .begin, .savepoint: true
        default: false
        }
    }

    /// Whether the statement writes to the database file.
    package var isWrite: Bool {
        switch self {
        case .change, .schemaChange, .reindex, .vacuum: true
        default: false
        }
    }

    /// Whether the statement begins or ends a transaction or a savepoint.
    package var controlsTransaction: Bool {
        switch self {
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo: true
        default: false
        }
    }

    private static func isChange(_ lexer: SQLLexer) -> Bool {
        lexer.isWord("INSERT") || lexer.isWord("UPDATE") || lexer.isWord("DELETE")
            || lexer.isWord("REPLACE")
    }

    /// Returns whether the statement after common table expressions is a change.
    private static func changesAfterWith(_ lexer: inout SQLLexer) -> Bool {
        var depth = 0
        while lexer.nextSignificant() != nil {
            if lexer.isCharacter(UInt8(ascii: "(")) { depth += 1 }
            if lexer.isCharacter(UInt8(ascii: ")")) { depth -= 1 }
            if lexer.isCharacter(UInt8(ascii: ";")) { return false }
            guard depth == 0 else { continue }
            if isChange(lexer) { return true }
            if lexer.isWord("SELECT") || lexer.isWord("VALUES") { return false }
        }
        return false
    }

    private static func rollback(_ lexer: inout SQLLexer) -> SQLStatementKind {
        _ = lexer.nextSignificant()
        if lexer.isWord("TRANSACTION") {
            _ = lexer.nextSignificant()
            // A transaction may have a name, which has no effect.
            if !lexer.isWord("TO") { _ = lexer.nextSignificant() }
        }
        return lexer.isWord("TO") ? .rollbackTo(savepointName(&lexer)) : .rollback
    }

    private static func savepointName(_ lexer: inout SQLLexer) -> String {
        guard let name = name(&lexer) else { return "" }
        // The name can itself be the word that may precede it.
        return lexer.isWord("SAVEPOINT") ? self.name(&lexer) ?? name : name
    }

    private static func pragma(_ lexer: inout SQLLexer) -> SQLStatementKind {
        guard var name = name(&lexer) else { return .pragma(name: "", isQuery: true) }
        var next = lexer.nextSignificant()
        if lexer.isCharacter(UInt8(ascii: ".")) {
            name = self.name(&lexer) ?? ""
            next = lexer.nextSignificant()
        }
        let isQuery = next == nil || lexer.isCharacter(UInt8(ascii: ";"))
        return .pragma(name: name.lowercased(), isQuery: isQuery)
    }

    /// Reads a name, quoted or not.
    private static func name(_ lexer: inout SQLLexer) -> String? {
        switch lexer.nextSignificant() {
        case .word?: String(decoding: lexer.bytes, as: UTF8.self)
        case .string?, .doubleQuoted?, .quoted?: SQLToken.unquoted(lexer.bytes)
        default: nil
        }
    }
}

/// A pragma's schema, name, and value.
package struct SQLPragma: Sendable, Equatable {
    package var schema: String?
    /// The name in lowercase.
    package var name: String
    /// The value without quotation marks, or `nil` if the pragma has none.
    package var value: String?

    /// Parses the first statement in a text, or returns `nil` if it is not a pragma.
    package init?(_ text: String) {
        let tokens = SQLToken.significant(in: text).drop { $0.isSymbol(";") }
        guard let first = tokens.first, first.keyword == "PRAGMA" else { return nil }
        var rest = tokens.dropFirst().prefix { !$0.isSymbol(";") }
        guard let name = rest.popFirst() else { return nil }
        self.name = name.unquoted.lowercased()
        if rest.first?.isSymbol(".") == true {
            rest.removeFirst()
            schema = self.name
            guard let name = rest.popFirst() else { return nil }
            self.name = name.unquoted.lowercased()
        }
        guard let sign = rest.popFirst() else { return }
        guard sign.isSymbol("=") || sign.isSymbol("(") else { return nil }
        let value = rest.prefix { !$0.isSymbol(")") }.map(\.unquoted).joined()
        self.value = value.isEmpty ? nil : value
    }
}

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
