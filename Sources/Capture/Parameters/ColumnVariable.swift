import WorkloadEngine

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
        _ schemaColumn: CaptureSchema.Column
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
