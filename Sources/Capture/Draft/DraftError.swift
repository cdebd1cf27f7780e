/// Why no scenario can be made of a statement.
package struct DraftError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, the statement, and what to do.
    package var description: String

    init(_ description: String) { self.description = description }
}
