/// A violated guarantee, which an attack reports.
package struct Violation: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    /// Checks a condition.
    ///
    /// - Throws: A violation if the condition is not met.
    package static func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        guard condition else { throw Violation(description()) }
    }
}
