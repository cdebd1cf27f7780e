/// A pragma's schema, name, and value.
package struct SQLPragma: Sendable, Equatable {
    package var schema: String?
    /// The name in lowercase.
    package var name: String
    /// The value without quotation marks, or `nil` if the pragma has none.
    package var value: String?

    /// Parses the first statement in a text, or returns `nil` if it is not a pragma.
    package init?(_ text: String) {
        let tokens = SQLToken.significant(in: text).drop { $0.isSymbol(";") }
        guard let first = tokens.first, first.keyword == "PRAGMA" else { return nil }
        var rest = tokens.dropFirst().prefix { !$0.isSymbol(";") }
        guard let name = rest.popFirst() else { return nil }
        self.name = name.unquoted.lowercased()
        if rest.first?.isSymbol(".") == true {
            rest.removeFirst()
            schema = self.name
            guard let name = rest.popFirst() else { return nil }
            self.name = name.unquoted.lowercased()
        }
        guard let sign = rest.popFirst() else { return }
        guard sign.isSymbol("=") || sign.isSymbol("(") else { return nil }
        let value = rest.prefix { !$0.isSymbol(")") }.map(\.unquoted).joined()
        self.value = value.isEmpty ? nil : value
    }
}
