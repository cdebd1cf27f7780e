/// A recording that cannot be written or read.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and the remedy, in English.
    package var description: String

    init(_ description: String) { self.description = description }
}
