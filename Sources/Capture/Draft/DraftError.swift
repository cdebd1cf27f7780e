/// An error for a statement that cannot be part of a draft.
package struct DraftError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, the statement, and a remedy.
    package var description: String

    init(_ description: String) { self.description = description }
}
