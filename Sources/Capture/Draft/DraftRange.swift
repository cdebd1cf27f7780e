import WorkloadEngine

/// The bounds of `BETWEEN :start AND :end`, or of `column >= :start AND column < :end`.
///
/// Two independent values would often be in the wrong order, so the statement would find no rows.
/// For an integer column, the end is the start plus a width. Other values cannot be added, so the
/// smaller of two values is the start.
struct DraftRange {
    /// The name of the parameter for the end, or `nil` for `?`.
    let name: String?
    private let column: Variable.Column
    /// The largest width, or `nil` if the values cannot be added.
    private let width: Int64?
    private let drawn: ColumnVariable

    /// The number of distinct values that the widest range contains.
    private static let valueCount: Int64 = 100

    /// Creates the range that ends with a slot.
    ///
    /// Returns `nil` if the slot does not end a range of two parameters, or if the user specified
    /// the values of the end.
    init?(
        endingAt index: Int,
        of statement: NormalizedStatement,
        _ schema: CaptureSchema,
        _ options: DraftOptions
    ) {
        let end = statement.slots[index]
        guard end.role == .rangeEnd, index > 0, let column = end.column else { return nil }
        let start = statement.slots[index - 1]
        guard start.role == .rangeStart, start.column == column, case .parameter = start.source
        else { return nil }
        name = statement.parameterNames[index]
        if let name, options.values[name] != nil { return nil }
        // A range with the same parameter for both bounds contains a single value.
        if let name, name == statement.parameterNames[index - 1] { return nil }
        self.column = column
        let schemaColumn = schema.column(column)
        width = schemaColumn?.isInteger == true ? Self.width(of: schemaColumn) : nil
        drawn = ColumnVariable.drawn(from: column, in: schema)
    }

    /// Returns the width that contains about ``valueCount`` distinct values of a column.
    private static func width(of column: CaptureSchema.Column?) -> Int64 {
        guard let range = column?.range, let count = column?.distinctCount, count > 0 else {
            return valueCount - 1
        }
        let span = Double(range.upperBound) - Double(range.lowerBound)
        let width = span / Double(count) * Double(min(valueCount, Int64(clamping: count)))
        return max(1, Int64(min(width, 1e15).rounded()) - 1)
    }

    /// Returns whether the access does not yet use the parameter for the end.
    ///
    /// `variableNames` contains the names of the access's variables, by parameter name.
    func endIsUnused(in variableNames: [String: String]) -> Bool {
        name.map { variableNames[$0] == nil } ?? true
    }

    /// Returns the variable for the end of a range, given the text of the start.
    func variable(_ start: String) -> ColumnVariable {
        guard let width else {
            return ColumnVariable(
                base: drawn.base,
                variable: drawn.variable,
                comment: "\(drawn.comment); the smaller value starts the range"
            )
        }
        return ColumnVariable(
            base: "\(column.table)_\(column.name)_width",
            variable: Variable(distribution: .uniform, minimum: 0, maximum: width),
            comment: "the width of the range that starts at \(start)"
        )
    }

    func texts(start: String, end: String) -> [String] {
        width == nil
            ? ["min(\(start), \(end))", "max(\(start), \(end))"] : [start, "(\(start) + \(end))"]
    }
}
