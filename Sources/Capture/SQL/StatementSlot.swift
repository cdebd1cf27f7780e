import WorkloadEngine

/// A place in a statement that takes a value: a parameter, or a literal that becomes one.
struct StatementSlot: Equatable, Sendable {
    /// The source of the value.
    enum Source: Equatable, Sendable {
        /// A bound value, by its index from 0.
        case parameter(Int)
        /// A literal: its value and its text.
        case literal(WorkloadValue, text: String)
    }

    /// The use of the value in the statement.
    enum Role: Equatable, Sendable {
        /// Compares it with a column.
        case comparison
        /// Starts a range: the lower bound of BETWEEN, or of `column >= ? AND column < ?`.
        case rangeStart
        /// Ends a range: the upper bound.
        case rangeEnd
        /// An item of a list, by its position from 0.
        case list(Int)
        /// Inserts it into a column; rows are numbered from 0.
        case insert(row: Int)
        /// Sets a column to it.
        case set
        /// Sets a column to its old value plus, minus or times it.
        case change
        case limit, offset
        /// Anything else.
        case other
    }

    var source: Source
    var role: Role
    /// The column with which the value is compared, or which receives it.
    var column: Variable.Column?

    /// Returns the value in an execution; nil if unknown.
    func value(among values: [WorkloadValue]) -> WorkloadValue? {
        switch source {
        case .literal(let value, _): value
        case .parameter(let index): index < values.count ? values[index] : nil
        }
    }
}
