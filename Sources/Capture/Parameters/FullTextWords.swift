import WorkloadEngine

/// Words of full-text indexes, for the values that statements search for.
///
/// A random text is usually not a word, and may not be a valid query.
package struct FullTextWords: Sendable, Equatable {
    /// The words by table name.
    private let words: [String: [String]]

    package init(_ words: [String: [String]] = [:]) {
        self.words = words.filter { !$0.value.isEmpty }
    }

    package func contains(table: String) -> Bool { words[table] != nil }

    /// Returns a variable with words of a full-text table if the slot at an index searches it, or
    /// `nil` otherwise.
    func variable(at index: Int, of statement: NormalizedStatement) -> ColumnVariable? {
        matched(index, of: statement).map { words in
            ColumnVariable(
                base: "word",
                variable: Variable(
                    distribution: .choice(words.map(WorkloadValue.text), weights: [])
                ),
                comment: "words of the full-text index"
            )
        }
    }

    /// Returns the words of the table that a slot searches.
    ///
    /// `x MATCH :q`, `x = :q`, and `x(:q)` search the table `x`. `column MATCH :q` searches the
    /// full-text table in the statement.
    private func matched(_ index: Int, of statement: NormalizedStatement) -> [String]? {
        func names(in text: String) -> [Substring] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }
        guard !words.isEmpty else { return nil }
        let precedingText = statement.pieces[index]
        let mentioned = Set(statement.pieces.flatMap(names))
        let tables = words.filter { mentioned.contains(Substring($0.key.lowercased())) }
            .sorted { $0.key < $1.key }
        let last = names(in: precedingText).last
        if last == "match" { return tables.first?.value }
        guard let sign = precedingText.last(where: { !$0.isWhitespace }), "=(".contains(sign) else {
            return nil
        }
        return tables.first { Substring($0.key.lowercased()) == last }?.value
    }
}
