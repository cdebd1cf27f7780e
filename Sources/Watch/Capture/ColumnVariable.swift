import Scenarios

/// A scenario variable that draws its values from a column.
struct ColumnVariable: Equatable {
    /// The preferred name, which another variable may already use.
    var base: String
    var variable: Variable
    var comment: String

    /// Returns a variable that draws existing values of a column.
    ///
    /// For integer keys without large gaps, the variable draws from the whole range, because
    /// drawing from a sample would make a few rows hot.
    static func drawn(from column: Variable.Column, in schema: CaptureSchema) -> ColumnVariable {
        let schemaColumn = schema.column(column)
        let isKey =
            schemaColumn?.isUnique == true && schemaColumn?.isInteger == true
            && schemaColumn?.hasGaps != true
        return ColumnVariable(
            base: "\(column.table)_\(column.name)",
            variable: Variable(
                distribution: isKey ? .uniform : .choice([], weights: []),
                column: column
            ),
            comment: isKey ? "any value in the column's range" : "a value of an existing row"
        )
    }

    /// Returns a variable for the new integer of an existing row.
    ///
    /// SQLite writes nothing if a row does not change, so the values of other rows, which are often
    /// equal, are not suitable.
    static func changed(
        _ column: Variable.Column,
        schemaColumn: CaptureSchema.Column
    ) -> ColumnVariable {
        let first = schemaColumn.range?.lowerBound ?? 0
        var last = schemaColumn.range?.upperBound ?? 0
        if last <= first { last = first < .max - 999 ? first + 999 : .max }
        return ColumnVariable(
            base: "changed_\(column.table)_\(column.name)",
            variable: Variable(distribution: .uniform, minimum: first, maximum: last),
            comment: "a number that changes the row"
        )
    }

    static func fresh(
        for column: Variable.Column,
        in schema: CaptureSchema,
        prefix: String = "captured-"
    ) -> ColumnVariable {
        let isInteger = schema.column(column)?.isInteger == true
        return ColumnVariable(
            base: "new_\(column.table)_\(column.name)",
            variable: isInteger
                ? Variable(distribution: .sequential, column: column)
                : Variable(
                    distribution: .sequential,
                    minimum: 1,
                    maximum: Variable.largest,
                    prefix: prefix
                ),
            comment: "a new value for each row: the column is a key"
        )
    }
}

extension CaptureSchema.Column {
    /// The mean difference between consecutive distinct values.
    var meanStep: Double {
        guard let range, let distinctCount, distinctCount > 1 else { return 1 }
        let span = Double(range.upperBound) - Double(range.lowerBound)
        return max(1, span / Double(distinctCount - 1))
    }

    /// Whether a tenth or more of the range from the smallest to the largest value is unused.
    var hasGaps: Bool {
        guard let range, let distinctCount else { return false }
        let span = Double(range.upperBound) - Double(range.lowerBound) + 1
        return Double(distinctCount) < 0.9 * span
    }
}

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
