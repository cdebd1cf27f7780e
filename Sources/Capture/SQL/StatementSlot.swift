import WorkloadEngine

/// A place in a statement for a value: a parameter, or a literal that becomes a parameter.
struct StatementSlot: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// A parameter, with the zero-based index of its value.
        case parameter(Int)
        case literal(WorkloadValue, text: String)
    }

    enum Role: Equatable, Sendable {
        case comparison
        /// The lower bound of BETWEEN, or of `column >= ? AND column < ?`.
        case rangeStart
        /// The upper bound of BETWEEN, or of `column >= ? AND column < ?`.
        case rangeEnd
        /// A number added to the upper bound of a range, such as 99 in `BETWEEN ? AND ? + 99`.
        case rangeWidth
        /// The item of a list at this zero-based position.
        case list(Int)
        /// A column's value in the inserted row with this zero-based index.
        case insert(row: Int)
        case set
        /// The operand of `+`, `||`, or another operator that changes a column.
        case change
        case limit, offset
        case other
    }

    var source: Source
    var role: Role
    /// The column that is compared with the value or set to it.
    var column: Variable.Column?

    /// Returns the value in an execution, or `nil` if unknown.
    func value(among values: [WorkloadValue]) -> WorkloadValue? {
        switch source {
        case .literal(let value, _): value
        case .parameter(let index): index < values.count ? values[index] : nil
        }
    }
}
