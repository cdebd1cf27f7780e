/// The effect of a statement other than reading and writing rows, determined from its first words.
///
/// The words cost nothing, whereas the authorizer should remain available to the user.
enum StatementEffect: Equatable {
    /// Nothing else.
    case none
    /// `BEGIN`.
    case beginTransaction
    /// `COMMIT` or `END`.
    case commitTransaction
    /// `ROLLBACK`.
    case rollbackTransaction
    /// `SAVEPOINT name`.
    case beginSavepoint(String)
    /// `RELEASE name`.
    case releaseSavepoint(String)
    /// `ROLLBACK TO name`.
    case rollbackToSavepoint(String)
    /// Tables, views, indexes or triggers are created, dropped or altered.
    case schemaChange
    /// `ATTACH` or `DETACH`.
    case attachment
    /// `PRAGMA journal_mode` with a new mode.
    case journalModeChange

    /// Whether the statement starts a transaction if none is open.
    var mayBeginTransaction: Bool {
        switch self {
        case .beginTransaction, .beginSavepoint: true
        default: false
        }
    }

    /// The effect of an SQL statement.
    ///
    /// The grammar is that of <https://www.sqlite.org/lang_transaction.html> and
    /// <https://www.sqlite.org/lang_savepoint.html>. `ANALYZE` creates the tables of statistics.
    init(_ sql: UnsafePointer<CChar>?) {
        self = .none
        guard let sql else { return }
        var scanner = SQLScanner(sql)
        if scanner.takes(keyword: "select") || scanner.takes(keyword: "insert") { return }
        if scanner.takes(keyword: "begin") {
            self = .beginTransaction
        } else if scanner.takes(keyword: "commit") || scanner.takes(keyword: "end") {
            self = .commitTransaction
        } else if scanner.takes(keyword: "rollback") {
            self = Self.rollback(&scanner)
        } else if scanner.takes(keyword: "savepoint") {
            self = .beginSavepoint(scanner.name())
        } else if scanner.takes(keyword: "release") {
            self = .releaseSavepoint(Self.savepointName(&scanner))
        } else if scanner.takes(keyword: "create") || scanner.takes(keyword: "drop")
            || scanner.takes(keyword: "alter") || scanner.takes(keyword: "analyze")
        {
            self = .schemaChange
        } else if scanner.takes(keyword: "attach") || scanner.takes(keyword: "detach") {
            self = .attachment
        } else if scanner.takes(keyword: "pragma"), PragmaJournalMode.sets(sql) {
            self = .journalModeChange
        }
    }

    private static func rollback(_ scanner: inout SQLScanner) -> StatementEffect {
        if scanner.takes(keyword: "transaction") {
            if scanner.takes(keyword: "to") { return .rollbackToSavepoint(savepointName(&scanner)) }
            // A transaction may have a name, which has no effect.
            _ = scanner.name()
        }
        guard scanner.takes(keyword: "to") else { return .rollbackTransaction }
        return .rollbackToSavepoint(savepointName(&scanner))
    }

    private static func savepointName(_ scanner: inout SQLScanner) -> String {
        guard scanner.takes(keyword: "savepoint") else { return scanner.name() }
        let name = scanner.name()
        return name.isEmpty ? "savepoint" : name
    }
}
