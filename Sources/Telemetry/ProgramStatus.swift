/// The status of a program to which a display is attached.
package struct ProgramStatus: Sendable, Codable, Equatable {
    /// The process ID.
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

extension DatabaseStatus {
    /// Whether the program does not report its connections.
    ///
    /// The program reports none although an open database has at least one connection.
    package var hidesConnections: Bool { connections.isEmpty && !isClosed }

    /// Whether the program does not report waits.
    ///
    /// A program that reports waits reports at least their number or their durations.
    package var hidesWaits: Bool {
        oldestWaiterNanoseconds == nil && acquire == nil && writerAcquire == nil
            && waitingReadersPeak == nil && waitingWritersPeak == nil && !isClosed
    }
}

extension Sample {
    /// Whether the attached program does not report its connections.
    package var hidesConnections: Bool { program != nil && database.hidesConnections }

    /// Whether the attached program does not report waits.
    package var hidesWaits: Bool { program != nil && database.hidesWaits }
}
