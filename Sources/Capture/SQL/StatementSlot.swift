import WorkloadEngine

/// A place in a statement for a value: a parameter, or a literal that becomes a parameter.
struct StatementSlot: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// A bound value, with its index from 0.
        case parameter(Int)
        case literal(WorkloadValue, text: String)
    }

    enum Role: Equatable, Sendable {
        case comparison
        /// Starts a range, as the lower bound of BETWEEN or of `column >= ? AND column < ?`.
        case rangeStart
        /// Ends a range, as the upper bound.
        case rangeEnd
        /// Adds the value to the end of a range, such as 99 in `BETWEEN ? AND ? + 99`.
        case rangeWidth
        /// Uses the value as the list item at this zero-based position.
        case list(Int)
        /// Inserts the value into a column of the row with this zero-based index.
        case insert(row: Int)
        case set
        /// Changes a column by the value, with an operator such as `+` or `||`.
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
