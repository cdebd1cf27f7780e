import WorkloadEngine

/// A place in a statement that takes a value: a parameter, or a literal that becomes one.
struct StatementSlot: Equatable, Sendable {
    /// Where its value comes from.
    enum Source: Equatable, Sendable {
        /// A bound value, by its index from 0.
        case parameter(Int)
        /// A literal: its value and its text.
        case literal(WorkloadValue, text: String)
    }

    /// What the statement does with the value.
    enum Role: Equatable, Sendable {
        /// Compares it with a column.
        case comparison
        /// Searches from it on: the first bound of BETWEEN.
        case rangeStart
        /// Searches up to it: the second bound of BETWEEN.
        case rangeEnd
        /// One of a list, by its position from 0.
        case list(Int)
        /// Inserts it into a column, in a row from 0.
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
    /// The column that it is compared with, or that receives it.
    var column: Variable.Column?

    /// The value of an execution; nil where it is unknown.
    func value(among values: [WorkloadValue]) -> WorkloadValue? {
        switch source {
        case .literal(let value, _): value
        case .parameter(let index): index < values.count ? values[index] : nil
        }
    }
}
