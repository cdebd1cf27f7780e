/// Recognizes `PRAGMA optimize`.
///
/// `sqlite3_stmt_readonly` reports this statement as read-only, because the statement runs
/// `ANALYZE` through nested SQL. See <https://www.sqlite.org/pragma.html#pragma_optimize>.
enum PragmaOptimize {
    /// Returns whether the SQL is `PRAGMA optimize`, with or without a schema name and a mask.
    static func matches(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        var scanner = SQLScanner(sql)
        guard scanner.skip(keyword: "pragma") else { return false }
        var name = scanner.word()
        if scanner.skip(UInt8(ascii: ".")) { name = scanner.word() }
        return name == "optimize"
    }
}
