/// What a statement does beyond reading and writing rows, as its first words say.
///
/// Words rather than the authorizer: they cost nothing, and leave that one to the user.
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
    /// Tables, views, indexes or triggers come, go or change.
    case schemaChange
    /// `ATTACH` and `DETACH`: whole databases come and go.
    case attachment
    /// `PRAGMA journal_mode` with a new mode.
    case journalModeChange

    /// Whether it begins a transaction, where none is open.
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
            // A transaction may be given a name, which means nothing.
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
