import SQLText
import Scenarios

/// A parser that finds a statement's slots and the column that each slot is compared with.
///
/// The parser recognizes common patterns instead of SQLite's full grammar: `col = ?`,
/// `col IN (?, ?)`, `BETWEEN`, `VALUES`, and `SET`. Slots in other patterns have no column.
struct StatementParser {
    enum Failure: Error, Equatable {
        case unterminated(String)
        case unexpected(String)
        case incomplete(String)
        case severalStatements

        /// Creates the failure for a token that SQLite rejects.
        init(rejecting token: SQLToken) {
            self =
                switch token.kind {
                case .string: .unterminated("a string in single quotes")
                case .blob: .unterminated("a blob")
                case .doubleQuoted, .quoted: .unterminated("a name in quotes or brackets")
                default: .unexpected(token.text)
                }
        }

        var message: String {
            switch self {
            case .unterminated(let what): "\(what) is not terminated"
            case .unexpected(let text): "'\(text)' is not valid SQL"
            case .incomplete(let word): "no statement follows '\(word)'"
            case .severalStatements: "it contains several statements"
            }
        }
    }

    let schema: CaptureSchema
    let tokens: [SQLToken]
    /// The clause of each token, such as `WHERE`.
    var clauses: [String] = []
    /// The index of the matching parenthesis for each parenthesis.
    var matches: [Int: Int] = [:]
    var tables: StatementTables
    /// Whether a row can meet one condition of the statement instead of another.
    let hasAlternatives: Bool

    /// Parses one statement.
    ///
    /// - Throws: ``Failure`` if the text is not SQL.
    static func parse(
        _ sql: String,
        schema: CaptureSchema
    ) throws(Failure) -> NormalizedStatement {
        var tokens = SQLToken.significant(in: sql)
        if let token = tokens.first(where: { !$0.isValid }) { throw Failure(rejecting: token) }
        while tokens.last?.text == ";" { tokens.removeLast() }
        guard !tokens.isEmpty else { throw .unexpected(sql.isEmpty ? "" : "…") }
        return try StatementParser(tokens, schema).normalize()
    }

    private init(_ tokens: [SQLToken], _ schema: CaptureSchema) throws(Failure) {
        self.tokens = tokens
        self.schema = schema
        tables = StatementTables(tokens, schema)
        hasAlternatives = Self.hasAlternatives(tokens)
        try findClauses()
    }

    static let clauseWords: Set = [
        "SELECT", "FROM", "WHERE", "SET", "VALUES", "LIMIT", "OFFSET", "ORDER", "GROUP", "HAVING",
        "ON", "RETURNING", "USING", "JOIN", "WINDOW", "AS",
    ]

    private mutating func findClauses() throws(Failure) {
        var open: [(index: Int, clause: String)] = []
        var clause = ""
        for (index, token) in tokens.enumerated() {
            if Self.clauseWords.contains(token.keyword), token.keyword != "AS" {
                clause = token.keyword
            }
            clauses.append(clause)
            if token.text == "(" {
                open.append((index, clause))
                clause = "("
            } else if token.text == ")" {
                guard let last = open.popLast() else { throw .unexpected(")") }
                matches[index] = last.index
                matches[last.index] = index
                clause = last.clause
            } else if token.text == ";" {
                throw .severalStatements
            }
        }
        if !open.isEmpty { throw .unterminated("a parenthesis") }
    }

    // MARK: Normalizing

    private func normalize() throws(Failure) -> NormalizedStatement {
        let verb = try self.verb()
        var pieces = [""]
        var slots: [StatementSlot] = []
        var parameterNames: [String?] = []
        var keys: [String] = []
        var names: [String: Int] = [:]
        var parameters = 0
        for (index, token) in tokens.enumerated() {
            let gap = token.followsSpace && index > 0 ? " " : ""
            pieces[pieces.count - 1] += gap
            var source: StatementSlot.Source?
            if token.kind == .variable {
                source = .parameter(
                    Self.ordinal(of: token.text, among: &names, count: &parameters)
                )
            } else if let value = literal(at: index) {
                source = .literal(value, text: token.text)
            }
            guard let source else {
                let text = canonicalText(at: index)
                pieces[pieces.count - 1] += text
                keys.append(token.kind == .word ? text.uppercased() : text)
                continue
            }
            let (role, column) = context(of: index)
            slots.append(
                StatementSlot(
                    source: source,
                    role: role,
                    column: column,
                    requiredRow: role == .comparison ? requiredRow(at: index) : nil
                )
            )
            parameterNames.append(token.kind == .variable ? Self.name(of: token.text) : nil)
            pieces.append("")
            keys.append("?")
        }
        return NormalizedStatement(
            key: Self.shortened(keys).joined(separator: " "),
            pieces: pieces,
            slots: slots,
            parameterNames: parameterNames,
            verb: verb,
            table: tables.firstTable,
            missingTables: tables.missing
        )
    }

    /// Returns a token's text, or a fixed text for the name of a savepoint, because programs often
    /// number savepoints.
    private func canonicalText(at index: Int) -> String {
        let isSavepoint =
            index > 0
            && (["SAVEPOINT"].contains(tokens[index - 1].keyword)
                || ["RELEASE", "TO"].contains(tokens[index - 1].keyword)
                    && tokens[index].keyword != "SAVEPOINT")
        guard isSavepoint, ["SAVEPOINT", "RELEASE", "ROLLBACK"].contains(tokens[0].keyword) else {
            return tokens[index].text
        }
        return "captured"
    }

    private static let verbs: Set = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "BEGIN", "COMMIT", "END",
        "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "ATTACH", "DETACH", "VACUUM", "REINDEX",
        "ANALYZE", "CREATE", "DROP", "ALTER", "EXPLAIN", "WITH",
    ]

    private func verb() throws(Failure) -> String {
        let first = tokens[0].keyword
        guard Self.verbs.contains(first) else { throw .unexpected(tokens[0].text) }
        guard first == "WITH" else { return first }
        // The main statement follows the last parenthesis of the common table expressions.
        var index = 0
        while index < tokens.count {
            if tokens[index].text == "(" {
                index = (matches[index] ?? index) + 1
                continue
            }
            let word = tokens[index].keyword
            if ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES"].contains(word) {
                return word
            }
            index += 1
        }
        throw .incomplete("WITH")
    }

    /// Returns the name of a parameter, such as `p1` for `?1`, or `nil` for `?`.
    private static func name(of text: String) -> String? {
        // The name of a variable of Tcl, such as `$a::b(c)`, cannot name a parameter.
        guard text != "?", !text.contains("::"), !text.contains("(") else { return nil }
        return (text.first == "?" ? "p" : "") + text.dropFirst()
    }

    /// Returns the index of a parameter's value, from its number or its first appearance.
    private static func ordinal(
        of text: String,
        among names: inout [String: Int],
        count: inout Int
    ) -> Int {
        if text.first == "?", let number = Int(text.dropFirst()), number > 0 {
            count = max(count, number)
            return number - 1
        }
        if text != "?" {
            if let index = names[text] { return index }
            names[text] = count
        }
        count += 1
        return count - 1
    }

    /// Shortens lists of values and lists of rows to one item.
    private static func shortened(_ words: [String]) -> [String] {
        var result: [String] = []
        var index = 0
        while index < words.count {
            let remainingWords = words[index...]
            if words[index] == "IN", remainingWords.dropFirst().first == "(" {
                let values = remainingWords.dropFirst(2).prefix { $0 == "?" || $0 == "," }
                if values.count > 1, words.indices.contains(values.endIndex),
                    words[values.endIndex] == ")"
                {
                    result += ["IN", "(", "?", ")"]
                    index = values.endIndex + 1
                    continue
                }
            }
            result.append(words[index])
            index += 1
            guard words[index - 1] == "VALUES", let row = Self.row(of: words, at: index) else {
                continue
            }
            result += row
            index += row.count
            while index < words.count, words[index] == ",",
                words[(index + 1)...].starts(with: row)
            { index += row.count + 1 }
        }
        return result
    }

    /// Returns the words of the row of values at an index.
    private static func row(of words: [String], at index: Int) -> [String]? {
        var depth = 0
        for end in index..<max(index, words.count) {
            if words[end] == "(" { depth += 1 }
            if words[end] == ")" { depth -= 1 }
            if depth == 0 { return end > index ? Array(words[index...end]) : nil }
        }
        return nil
    }

    // MARK: Literals

    /// Returns the value of a literal that becomes a slot, or `nil` for any other token.
    ///
    /// Numbers in LIMIT, column numbers in ORDER BY and GROUP BY, and single digits that are not
    /// compared with a column remain part of the statement.
    private func literal(at index: Int) -> WorkloadValue? {
        let token = tokens[index]
        switch token.kind {
        case .string:
            return SQLStructure.contains(tokens, index) ? nil : .text(token.unquoted)
        case .doubleQuoted: return isName(at: index) ? nil : .text(token.unquoted)
        case .blob: return .blob(Self.bytes(ofHex: token.text.dropFirst(2).dropLast()))
        case .number:
            if ["LIMIT", "OFFSET"].contains(clauses[index]) || isColumnNumber(at: index) {
                return nil
            }
            if token.text.count == 1,
                [.other, .rangeWidth].contains(context(of: index).role)
            {
                return nil
            }
            if let integer = Int64(token.text) { return .integer(integer) }
            if token.text.lowercased().hasPrefix("0x") {
                return UInt64(token.text.dropFirst(2), radix: 16)
                    .map { .integer(Int64(bitPattern: $0)) } ?? .integer(0)
            }
            return .real(Double(token.text) ?? 0)
        default: return nil
        }
    }

    private static let termEnds: Set = [
        ",", ")", "ASC", "COLLATE", "DESC", "EXCEPT", "HAVING", "INTERSECT", "LIMIT", "NULLS",
        "ORDER", "UNION", "WINDOW",
    ]

    /// Returns whether a number is a whole term of ORDER BY or GROUP BY and is therefore a column
    /// number (<https://sqlite.org/lang_select.html#the_order_by_clause>).
    private func isColumnNumber(at index: Int) -> Bool {
        guard index > 0, ["ORDER", "GROUP"].contains(clauses[index]) else { return false }
        let previous = tokens[index - 1]
        guard previous.keyword == "BY" || previous.text == "," else { return false }
        guard tokens.indices.contains(index + 1) else { return true }
        let next = tokens[index + 1]
        return Self.termEnds.contains(next.keyword)
    }

    private static func bytes(ofHex text: Substring) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    /// Returns whether text in double quotes is a name.
    ///
    /// SQLite treats unknown names as strings (<https://sqlite.org/quirks.html#dblquote>).
    private func isName(at index: Int) -> Bool {
        let name = tokens[index].name
        if schema.containsName(name) || tables.aliases.contains(name.lowercased()) { return true }
        if tokens.indices.contains(index + 1), tokens[index + 1].text == "." { return true }
        guard index > 0 else { return false }
        return tokens[index - 1].text == "." || tokens[index - 1].keyword == "AS"
    }
}

/// A statement without its literals and comments.
package struct NormalizedStatement: Equatable, Sendable {
    /// The text with `?` for each value, and with lists shortened to one value.
    ///
    /// Executions of the same statement have equal keys.
    package let key: String
    /// The text around the slots, with one more piece than there are slots.
    let pieces: [String]
    let slots: [StatementSlot]
    /// The names of the slots' parameters, without their prefix, or `nil` for literals and for `?`.
    let parameterNames: [String?]
    /// The first keyword in upper case or, for `WITH`, the main statement's first keyword.
    package let verb: String
    let table: String?
    /// The tables in the statement that the schema does not contain.
    let missingTables: [String]

    /// Whether the statement only reads, according to its verb.
    var isReadOnly: Bool { ["SELECT", "VALUES", "EXPLAIN", "PRAGMA"].contains(verb) }

    /// The reason that the statement cannot be repeated, or `nil` if it can be.
    var obstacle: String? {
        switch verb {
        case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "SAVEPOINT", "RELEASE",
            "ROLLBACK":
            nil
        case "PRAGMA": "it is a PRAGMA"
        case "ATTACH", "DETACH": "it attaches or detaches a database"
        case "VACUUM", "REINDEX", "ANALYZE": "it maintains the database"
        case "CREATE", "DROP", "ALTER": "it changes the schema"
        default: "\(verb) is not replayed"
        }
    }

    /// Returns the SQL with a replacement for each slot.
    func sql(_ text: (Int) -> String) -> String {
        slots.indices.reduce(pieces[0]) { $0 + text($1) + pieces[$1 + 1] }
    }
}

/// A place in a statement for a value: a parameter, or a literal that becomes a parameter.
struct StatementSlot: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// A parameter, with the zero-based index of its value.
        case parameter(Int)
        case literal(WorkloadValue, text: String)
    }

    enum Role: Equatable, Sendable {
        case comparison
        /// The lower bound of BETWEEN, or of `column >= ? AND column < ?`.
        case rangeStart
        /// The upper bound of BETWEEN, or of `column >= ? AND column < ?`.
        case rangeEnd
        /// A number added to the upper bound of a range, such as 99 in `BETWEEN ? AND ? + 99`.
        case rangeWidth
        /// The item of a list at this zero-based position.
        case list(Int)
        /// A column's value in the inserted row with this zero-based index.
        case insert(row: Int)
        case set
        /// The operand of `+`, `||`, or another operator that changes a column.
        case change
        case limit, offset
        case other
    }

    var source: Source
    var role: Role
    /// The column that is compared with the value or set to it.
    var column: Variable.Column?
    /// The alias of the table, one of whose rows must contain the value and those of all other slots
    /// with this alias, or `nil` for none.
    var requiredRow: String?

    /// Returns the value in an execution, or `nil` if unknown.
    func value(among values: [WorkloadValue]) -> WorkloadValue? {
        switch source {
        case .literal(let value, _): value
        case .parameter(let index): index < values.count ? values[index] : nil
        }
    }
}
