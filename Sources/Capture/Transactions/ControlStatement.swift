/// A statement that begins or ends a transaction (<https://sqlite.org/lang_transaction.html>).
enum ControlStatement: Equatable {
    case begin(CapturedTransaction.Begin)
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo

    /// Recognizes a control statement, or returns `nil` for any other statement.
    init?(_ statement: NormalizedStatement, sql: String) {
        guard
            ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]
                .contains(statement.verb), let tokens = try? SQLLexer.tokens(of: sql)
        else { return nil }
        let words = tokens.prefix(6).map(\.keyword)
        switch words.first {
        case "BEGIN":
            switch words.dropFirst().first {
            case "IMMEDIATE": self = .begin(.immediate)
            case "EXCLUSIVE": self = .begin(.exclusive)
            default: self = .begin(.deferred)
            }
        case "COMMIT", "END": self = .commit
        case "ROLLBACK": self = words.contains("TO") ? .rollbackTo : .rollback
        case "SAVEPOINT": self = .savepoint(tokens.count > 1 ? tokens[1].name : "")
        case "RELEASE": self = .release(tokens.last { $0.text != ";" }?.name ?? "")
        default: return nil
        }
    }
}
