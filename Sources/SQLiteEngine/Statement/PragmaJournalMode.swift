/// Recognizes `PRAGMA journal_mode`.
///
/// `sqlite3_stmt_readonly` reports every `PRAGMA journal_mode` as a write, even a query of the
/// mode.
enum PragmaJournalMode {
    static func isQuery(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        let words = words(of: sql)
        guard words.count == 2, words[0] == "pragma" else { return false }
        // A schema name may precede the name of the pragma; `=` or `(` precedes a new value.
        return words[1] == "journal_mode"
            || words[1].hasSuffix(".journal_mode")
                && words[1].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    }

    /// Returns whether the SQL may set the journal mode.
    ///
    /// False positives are possible.
    static func maySet(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        return String(cString: sql).lowercased().contains("journal_mode") && !isQuery(sql)
    }

    private static func words(of sql: UnsafePointer<CChar>) -> [Substring] {
        String(cString: sql).trimmedSQL.lowercased().split(whereSeparator: \.isWhitespace)
    }
}
