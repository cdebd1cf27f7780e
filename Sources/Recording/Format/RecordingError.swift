/// An error that occurs while writing or reading a recording.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and the remedy, in English.
    package var description: String

    init(_ description: String) { self.description = description }
}
