/// The names of transactions in explanations, such as `reader-1 #12 (read)`.
struct TransactionNames {
    private let history: History

    init(_ history: History) { self.history = history }

    subscript(_ index: Int) -> String {
        let transaction = history.transactions[index]
        let session =
            history.sessions.indices.contains(transaction.session)
            ? history.sessions[transaction.session] : "session \(transaction.session)"
        return "\(session) #\(transaction.number) (\(transaction.access))"
    }
}

/// A list or a register in a history, identified by its index in ``ObjectAccesses``.
enum ObjectIndex: Equatable, Sendable {
    case list(Int)
    case register(Int)
}

extension Int64? {
    var registerText: String { map(String.init) ?? "no value" }
}

extension [Int64] {
    /// The text of a list's elements in explanations.
    ///
    /// Long lists are truncated at the start.
    var listText: String {
        let shown = suffix(12).map(String.init).joined(separator: ", ")
        return count > 12 ? "[… \(shown)]" : "[\(shown)]"
    }
}
