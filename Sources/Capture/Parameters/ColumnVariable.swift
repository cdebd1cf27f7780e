import WorkloadEngine

/// A variable that draws its values from a column, in the language of scenarios.
struct ColumnVariable: Equatable {
    /// Its name, where no other variable has it.
    var base: String
    /// Its mapping in YAML, without brackets.
    var yaml: String
    /// How it was chosen.
    var comment: String

    /// A value of the column, as the rows have it.
    ///
    /// A sample of a key's values would be a few hot rows: the range has all of them, as long as it
    /// has few gaps.
    static func drawn(from column: Variable.Column, in schema: CaptureSchema) -> ColumnVariable {
        let own = schema.column(column)
        let isKey = own?.isUnique == true && own?.isInteger == true && own?.hasGaps != true
        return ColumnVariable(
            base: "\(column.table)_\(column.name)",
            yaml: "distribution: \(isKey ? "uniform" : "choice"), " + reference(to: column),
            comment: isKey ? "any of the column's range" : "as the rows have it"
        )
    }

    /// A new value for a column in which each value is unique.
    static func fresh(
        for column: Variable.Column,
        in schema: CaptureSchema,
        prefix: String = "captured-"
    ) -> ColumnVariable {
        let isInteger = schema.column(column)?.isInteger == true
        return ColumnVariable(
            base: "new_\(column.table)_\(column.name)",
            yaml: isInteger
                ? "distribution: sequential, \(reference(to: column))"
                : "distribution: sequential, prefix: \(prefix)",
            comment: "a new one for each row: the column is a key"
        )
    }

    static func reference(to column: Variable.Column) -> String {
        "table: \(YAMLText.name(column.table)), column: \(YAMLText.name(column.name))"
    }
}

extension CaptureSchema.Column {
    /// Whether a tenth or more of the range between the smallest and the largest value is unused.
    fileprivate var hasGaps: Bool {
        guard let range, let distinctCount else { return false }
        let span = Double(range.upperBound) - Double(range.lowerBound) + 1
        return Double(distinctCount) < 0.9 * span
    }
}
