/// A type that detects statements that start or end a transaction and are therefore not allowed in
/// an access.
enum TransactionControl {
    /// Returns the reason an access cannot run a statement, or `nil` if it can.
    static func problem(with sql: String, in access: WorkloadAccess) -> String? {
        guard access != .writeWithoutTransaction else { return nil }
        let tokens = SQLTokenizer(sql)
        let words = tokens.filter { $0.kind == .word }.map { tokens.text($0).uppercased() }
        guard let verb = words.first else { return nil }
        switch verb {
        case "BEGIN", "COMMIT", "END": break
        // `ROLLBACK TO` a savepoint does not end the transaction.
        case "ROLLBACK" where !words.contains("TO"): break
        default: return nil
        }
        return "an access starts and ends its own transaction; remove \(verb)"
    }
}
