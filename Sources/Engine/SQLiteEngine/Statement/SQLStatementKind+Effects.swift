import SQLText

/// The effects of a statement beyond reading and writing rows.
///
/// Scanning the first words is inexpensive and leaves the authorizer available to the application.
extension SQLStatementKind {
    /// Creates the kind of a statement from SQLite's text.
    init(_ sql: UnsafePointer<CChar>?) {
        guard let sql else {
            self = .other
            return
        }
        // The text ends with a NUL character.
        self.init(UnsafeRawPointer(sql).assumingMemoryBound(to: UInt8.self))
    }

    var hasEffect: Bool {
        switch self {
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo, .schemaChange,
            .attachment:
            true
        case .pragma: setsJournalMode
        case .change, .reindex, .vacuum, .other: false
        }
    }

    var isRollback: Bool {
        switch self {
        case .rollback, .rollbackTo: true
        default: false
        }
    }

    /// Whether the statement sets the journal mode.
    private var setsJournalMode: Bool { self == .pragma(name: "journal_mode", isQuery: false) }

    /// Whether a statement may run on a read-only connection, given the result of
    /// `sqlite3_stmt_readonly`.
    ///
    /// SQLite reports `PRAGMA optimize` as read-only, because the pragma runs `ANALYZE` through
    /// nested SQL (<https://www.sqlite.org/pragma.html#pragma_optimize>). It reports every
    /// `PRAGMA journal_mode` as a write, even a query.
    func mayRunReadOnly(isReadOnly: Bool) -> Bool {
        guard case .pragma(let name, let isQuery) = self else { return isReadOnly }
        return isReadOnly ? name != "optimize" : name == "journal_mode" && isQuery
    }
}
