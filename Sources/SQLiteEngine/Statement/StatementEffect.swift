/// The effect of a statement beyond reading and writing rows, as determined from its first words.
///
/// Scanning the words is inexpensive and leaves the authorizer available to the application.
enum StatementEffect: Equatable {
    /// No other effect.
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
    /// `CREATE`, `DROP`, `ALTER`, or `ANALYZE`.
    case schemaChange
    /// `ATTACH` or `DETACH`.
    case attachment
    /// `PRAGMA journal_mode` with a new mode.
    case journalModeChange

    var mayBeginTransaction: Bool {
        switch self {
        case .beginTransaction, .beginSavepoint: true
        default: false
        }
    }

    var isRollback: Bool {
        switch self {
        case .rollbackTransaction, .rollbackToSavepoint: true
        default: false
        }
    }

    /// Determines the effect of an SQL statement.
    ///
    /// For the grammar, see <https://www.sqlite.org/lang_transaction.html> and
    /// <https://www.sqlite.org/lang_savepoint.html>. `ANALYZE` changes the schema, because it
    /// creates tables for its statistics.
    init(_ sql: UnsafePointer<CChar>?) {
        self = .none
        guard let sql else { return }
        var scanner = SQLScanner(sql)
        if scanner.skip(keyword: "select") || scanner.skip(keyword: "insert") { return }
        if scanner.skip(keyword: "begin") {
            self = .beginTransaction
        } else if scanner.skip(keyword: "commit") || scanner.skip(keyword: "end") {
            self = .commitTransaction
        } else if scanner.skip(keyword: "rollback") {
            self = Self.rollback(&scanner)
        } else if scanner.skip(keyword: "savepoint") {
            self = .beginSavepoint(scanner.readName())
        } else if scanner.skip(keyword: "release") {
            self = .releaseSavepoint(Self.savepointName(&scanner))
        } else if scanner.skip(keyword: "create") || scanner.skip(keyword: "drop")
            || scanner.skip(keyword: "alter") || scanner.skip(keyword: "analyze")
        {
            self = .schemaChange
        } else if scanner.skip(keyword: "attach") || scanner.skip(keyword: "detach") {
            self = .attachment
        } else if scanner.skip(keyword: "pragma"), Pragma(&scanner).setsJournalMode {
            self = .journalModeChange
        }
    }

    private static func rollback(_ scanner: inout SQLScanner) -> StatementEffect {
        if scanner.skip(keyword: "transaction") {
            if scanner.skip(keyword: "to") { return .rollbackToSavepoint(savepointName(&scanner)) }
            // A transaction may have a name, which has no effect.
            _ = scanner.readName()
        }
        guard scanner.skip(keyword: "to") else { return .rollbackTransaction }
        return .rollbackToSavepoint(savepointName(&scanner))
    }

    private static func savepointName(_ scanner: inout SQLScanner) -> String {
        guard scanner.skip(keyword: "savepoint") else { return scanner.readName() }
        let name = scanner.readName()
        return name.isEmpty ? "savepoint" : name
    }
}
