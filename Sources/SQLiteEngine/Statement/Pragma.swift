/// The name of a pragma, in lower case and without the schema name, and whether it has no argument.
struct Pragma: Equatable {
    let name: String
    let isQuery: Bool

    /// Creates the pragma of a statement, or returns `nil` for another statement.
    init?(_ sql: UnsafePointer<CChar>?) {
        guard let sql else { return nil }
        var scanner = SQLScanner(sql)
        guard scanner.skip(keyword: "pragma") else { return nil }
        self.init(&scanner)
    }

    /// Creates a pragma from the text after the word `PRAGMA`.
    init(_ scanner: inout SQLScanner) {
        var name = scanner.word()
        if scanner.skip(UInt8(ascii: ".")) { name = scanner.word() }
        self.name = name
        isQuery = scanner.isAtEnd
    }

    /// Whether this is `PRAGMA optimize`, with or without a mask.
    ///
    /// `sqlite3_stmt_readonly` reports this statement as read-only, because the statement runs
    /// `ANALYZE` through nested SQL. See <https://www.sqlite.org/pragma.html#pragma_optimize>.
    var isOptimize: Bool { name == "optimize" }

    /// Whether this is a query of the journal mode.
    ///
    /// `sqlite3_stmt_readonly` reports every `PRAGMA journal_mode` as a write, even a query.
    var queriesJournalMode: Bool { name == "journal_mode" && isQuery }

    /// Whether this statement sets the journal mode.
    var setsJournalMode: Bool { name == "journal_mode" && !isQuery }
}
