/// Statements that begin or end a transaction, which an access must not run inside its own.
enum TransactionControl {
    /// Why an access cannot run a statement; nil when it can.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - access: The kind of access that runs it.
    /// - Returns: The reason, in words.
    static func problem(with sql: String, in access: WorkloadAccess) -> String? {
        guard access != .writeWithoutTransaction else { return nil }
        let tokens = SQLTokenizer(sql)
        let words = tokens.filter { $0.kind == .word }.map { tokens.text($0).uppercased() }
        guard let verb = words.first else { return nil }
        switch verb {
        case "BEGIN", "COMMIT", "END": break
        // ROLLBACK TO a savepoint stays inside the transaction.
        case "ROLLBACK" where !words.contains("TO"): break
        default: return nil
        }
        return "\(verb) inside an access that already is a transaction: the access begins and ends "
            + "it; leave \(verb) out"
    }
}
