/// Recognizes `PRAGMA journal_mode`.
///
/// `sqlite3_stmt_readonly` calls each `PRAGMA journal_mode` a write, because it could be one.
enum PragmaJournalMode {
    /// Whether the SQL asks for the journal mode, and sets none.
    static func asks(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        let words = words(of: sql)
        guard words.count == 2, words[0] == "pragma" else { return false }
        // With or without the name of an attached database; a value follows `=` or `(`.
        return words[1] == "journal_mode"
            || words[1].hasSuffix(".journal_mode")
                && words[1].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    }

    /// Whether the SQL may set the journal mode; it says so too often rather than too seldom.
    static func sets(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        return String(cString: sql).lowercased().contains("journal_mode") && !asks(sql)
    }

    private static func words(of sql: UnsafePointer<CChar>) -> [Substring] {
        String(cString: sql).trimmedSQL.lowercased().split(whereSeparator: \.isWhitespace)
    }
}
