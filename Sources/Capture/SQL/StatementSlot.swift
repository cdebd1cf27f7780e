import WorkloadEngine

/// A place in a statement for a value: a parameter, or a literal that becomes a parameter.
struct StatementSlot: Equatable, Sendable {
    /// The source of the value.
    enum Source: Equatable, Sendable {
        /// A bound value, with its index from 0.
        case parameter(Int)
        /// A literal, with its value and its text.
        case literal(WorkloadValue, text: String)
    }

    /// How the statement uses the value.
    enum Role: Equatable, Sendable {
        /// Compares it with a column.
        case comparison
        /// Starts a range, as the lower bound of BETWEEN or of `column >= ? AND column < ?`.
        case rangeStart
        /// Ends a range, as the upper bound.
        case rangeEnd
        /// Adds it to the value that ends a range: the number in `BETWEEN ? AND ? + 99`.
        case rangeWidth
        /// Uses it as an item of a list, at a position from 0.
        case list(Int)
        /// Inserts it into a column. Rows are numbered from 0.
        case insert(row: Int)
        /// Sets a column to it.
        case set
        /// Adds it to a column, subtracts it from a column, or multiplies a column by it.
        case change
        case limit, offset
        /// Uses it in any other way.
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
