import SQLText

/// A type that detects statements that start or end a transaction and are therefore not allowed in
/// an access.
enum TransactionControl {
    /// Returns the reason an access cannot run a statement, or `nil` if it can.
    static func problem(with sql: String, in access: WorkloadAccess) -> String? {
        guard access != .writeWithoutTransaction else { return nil }
        switch SQLStatementKind(sql) {
        case .begin, .commit, .rollback:
            let verb = StatementTemplate(sql: sql).verb
            return "an access starts and ends its own transaction; remove \(verb)"
        // `ROLLBACK TO` a savepoint does not end the transaction.
        default: return nil
        }
    }
}
