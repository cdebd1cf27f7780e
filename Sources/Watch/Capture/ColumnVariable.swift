import Foundation
import Scenarios
import Text

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
    static func drawn(
        from column: Variable.Column,
        in schema: CaptureSchema,
        isDistinct: Bool = false
    ) -> ColumnVariable {
        let isKey = isKey(column, in: schema)
        if isDistinct, !isKey {
            return ColumnVariable(
                base: "\(column.table)_\(column.name)",
                variable: Variable(
                    distribution: .choice([], weights: []),
                    column: Variable.Column(table: column.table, name: column.name, theta: 0)
                ),
                comment: "any value of the column, equally often"
            )
        }
        return ColumnVariable(
            base: "\(column.table)_\(column.name)",
            variable: Variable(
                distribution: isKey ? .uniform : .choice([], weights: []),
                column: column
            ),
            comment: isKey ? "any value in the column's range" : "a value of an existing row"
        )
    }

    /// Returns whether a column contains unique integers without large gaps.
    static func isKey(_ column: Variable.Column, in schema: CaptureSchema) -> Bool {
        guard let column = schema.column(column) else { return false }
        return column.isUnique && column.isInteger && !column.hasGaps
    }

    /// Whether the values are those of existing rows.
    var isDrawnFromRows: Bool {
        guard variable.column != nil, variable.column?.sameRow == nil else { return false }
        return switch variable.distribution {
        case .uniform: true
        case .choice(let values, _): values.isEmpty
        default: false
        }
    }

    /// Draws rows rather than integers from a range, so that other values can come from the same row.
    mutating func drawRows() {
        guard variable.distribution == .uniform else { return }
        variable.distribution = .choice([], weights: [])
        comment = "a value of an existing row"
    }

    /// Takes the value from the row that another variable draws.
    mutating func takeValue(fromRowOf name: String) {
        variable.distribution = .choice([], weights: [])
        variable.column?.theta = nil
        variable.column?.sameRow = name
        comment = "the value in the row of :\(name)"
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
    /// A word, or two words that a row must contain.
    package struct Word: Sendable, Equatable {
        package var text: String
        /// The number of rows that contain the word or both words.
        package var rows: Int

        package init(_ text: String, rows: Int = 1) {
            self.text = text
            self.rows = rows
        }
    }

    /// The words by table name, the most frequent first.
    private let words: [String: [Word]]
    /// The pairs of words by table name.
    private let pairs: [String: [Word]]
    /// The number of words that a variable draws.
    private static let count = 20

    package init(_ words: [String: [Word]] = [:], pairs: [String: [Word]] = [:]) {
        self.words = words.filter { !$0.value.isEmpty }
        self.pairs = pairs.filter { !$0.value.isEmpty }
    }

    package func contains(table: String) -> Bool { words[table] != nil }

    /// Returns a variable with words of a full-text table if the slot at an index searches it, or
    /// `nil` otherwise.
    func variable(
        at index: Int,
        of statement: NormalizedStatement,
        model: ValueModel = ValueModel()
    ) -> ColumnVariable? {
        chosen(at: index, of: statement, model: model).map { chosen in
            let what = model.searchesPairs ? "pairs of words" : "words"
            return ColumnVariable(
                base: "word",
                variable: Variable(
                    distribution: .choice(chosen.map { WorkloadValue.text($0.text) }, weights: [])
                ),
                comment: model.wordFrequency.map {
                    "\(what) in about \(HumanUnits.exact($0, "row")) of the full-text index"
                } ?? "\(what) of the full-text index"
            )
        }
    }

    /// Returns the mean number of rows that contain a word of the variable for a slot, or `nil` if
    /// the slot does not search.
    func meanRows(
        at index: Int,
        of statement: NormalizedStatement,
        model: ValueModel
    ) -> Double? {
        chosen(at: index, of: statement, model: model).map { chosen in
            chosen.reduce(0) { $0 + Double($1.rows) } / Double(chosen.count)
        }
    }

    /// Returns whether the slot at an index searches a table with pairs of words.
    func hasPairs(at index: Int, of statement: NormalizedStatement) -> Bool {
        table(at: index, of: statement).map { pairs[$0] != nil } ?? false
    }

    private func chosen(
        at index: Int,
        of statement: NormalizedStatement,
        model: ValueModel
    ) -> [Word]? {
        table(at: index, of: statement).flatMap { table in
            (model.searchesPairs ? pairs[table] ?? words[table] : words[table]).map {
                Self.chosen($0, frequency: model.wordFrequency)
            }
        }
    }

    /// Returns the words that a variable draws: those whose numbers of rows are nearest to a frequency
    /// or, without one, the most frequent and others at equal distances.
    private static func chosen(_ words: [Word], frequency: Int?) -> [Word] {
        guard words.count > count else { return words }
        guard let frequency else {
            let rest = words.dropFirst(count / 2)
            let step = max(1, rest.count / (count - count / 2))
            let others = rest.enumerated().filter { $0.offset % step == step - 1 }.map(\.element)
            return Array(words.prefix(count / 2) + others.prefix(count - count / 2))
        }
        func distance(_ word: Word) -> Double {
            abs(log(Double(max(1, word.rows)) / Double(max(1, frequency))))
        }
        return Array(words.sorted { distance($0) < distance($1) }.prefix(count))
    }

    /// Returns the table that a slot searches.
    ///
    /// `x MATCH :q`, `x = :q`, and `x(:q)` search the table `x`. `column MATCH :q` searches the
    /// full-text table in the statement.
    private func table(at index: Int, of statement: NormalizedStatement) -> String? {
        func names(in text: String) -> [Substring] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }
        guard !words.isEmpty else { return nil }
        let precedingText = statement.pieces[index]
        let mentioned = Set(statement.pieces.flatMap(names))
        let tables = words.filter { mentioned.contains(Substring($0.key.lowercased())) }
            .sorted { $0.key < $1.key }
        let last = names(in: precedingText).last
        if last == "match" { return tables.first?.key }
        guard let sign = precedingText.last(where: { !$0.isWhitespace }), "=(".contains(sign) else {
            return nil
        }
        return tables.first { Substring($0.key.lowercased()) == last }?.key
    }
}
