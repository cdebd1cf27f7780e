/// A pragma's lowercase name without the schema, and whether the pragma is a query.
struct Pragma: Equatable {
    let name: String
    let isQuery: Bool

    /// Creates a pragma from a statement, or returns `nil` for any other kind of statement.
    init?(_ sql: UnsafePointer<CChar>?) {
        guard let sql else { return nil }
        var scanner = SQLScanner(sql)
        guard scanner.skip(keyword: "pragma") else { return nil }
        self.init(&scanner)
    }

    /// Creates a pragma from the text after the word `PRAGMA`.
    init(_ scanner: inout SQLScanner) {
        var name = scanner.readWord()
        if scanner.skip(UInt8(ascii: ".")) { name = scanner.readWord() }
        self.name = name
        isQuery = scanner.isAtEnd
    }

    /// Whether the pragma is `optimize`, with or without a mask.
    ///
    /// `sqlite3_stmt_readonly` reports this pragma as read-only, because the pragma runs `ANALYZE`
    /// through nested SQL. See <https://www.sqlite.org/pragma.html#pragma_optimize>.
    var isOptimize: Bool { name == "optimize" }

    /// Whether the pragma queries the journal mode.
    ///
    /// `sqlite3_stmt_readonly` reports every `PRAGMA journal_mode` as a write, even a query.
    var queriesJournalMode: Bool { name == "journal_mode" && isQuery }

    /// Whether the pragma sets the journal mode.
    var setsJournalMode: Bool { name == "journal_mode" && !isQuery }
}
