/// A running program whose database a display is attached to.
package struct ProgramStatus: Sendable, Codable, Equatable {
    /// The ID of the process.
    package var process: Int32
    /// Whether the program responds.
    package var isConnected: Bool
    /// Whether clients may interrupt statements and request checkpoints.
    package var allowsControl: Bool

    /// Creates a status.
    package init(process: Int32, isConnected: Bool = true, allowsControl: Bool = false) {
        self.process = process
        self.isConnected = isConnected
        self.allowsControl = allowsControl
    }
}
