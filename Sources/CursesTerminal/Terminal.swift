import TerminalUI

/// An event of a terminal.
package enum TerminalEvent: Sendable, Hashable {
    /// A key, a mouse event, or a new size.
    case input(InputEvent)
    /// A request to stop the program (^Z); see ``Terminal/stop()``.
    case stop
    /// The program was stopped by `SIGSTOP` and has continued.
    case continued
    /// A request to end the program: `SIGINT`, `SIGTERM`, or `SIGHUP` after the terminal is gone.
    case end(signal: Int32)
}

/// A terminal for drawing and input, which only one thread may use.
package protocol Terminal: AnyObject {
    /// The size.
    var size: Size { get }

    /// The color depth.
    var depth: ColorDepth { get }

    /// The number of bytes written since a fixed time no later than the opening of the terminal;
    /// nil if bytes are not counted.
    var bytesWritten: UInt64? { get }

    /// Copies text to the user's clipboard.
    ///
    /// - Returns: Whether the text was sent; false if the terminal does not support a clipboard or
    ///   the text is too long.
    func copy(_ text: String) -> Bool

    /// Displays a surface, and sends only the cells that changed since the previous one.
    func draw(_ surface: Surface)

    /// Waits for the next event.
    ///
    /// - Parameter nanoseconds: The timeout; 0 returns without waiting.
    /// - Returns: The event; nil after the timeout.
    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent?

    /// Restores the terminal, stops the process, and reopens the terminal when the process
    /// continues.
    ///
    /// If no shell with job control is available, this method returns immediately, because nothing
    /// could continue the process.
    func stop()

    /// Restores the terminal; further calls have no effect.
    func close()
}
