import TerminalUI

package enum TerminalEvent: Sendable, Hashable {
    /// A key, a mouse event, or a new size.
    case input(InputEvent)
    /// A request to suspend the program (^Z).
    ///
    /// See ``Terminal/suspend()``.
    case suspend
    /// The program continued after a `SIGSTOP`.
    case continued
    /// A request to end the program: `SIGINT`, `SIGTERM`, or `SIGHUP`.
    ///
    /// After `SIGHUP`, the terminal may be gone.
    case end(signal: Int32)
}

/// A terminal for drawing and input.
///
/// Only one thread may use a terminal.
package protocol Terminal: AnyObject {
    var size: Size { get }

    var depth: ColorDepth { get }

    /// A running count of the bytes written, or `nil` if bytes are not counted.
    ///
    /// Only the difference between two values is meaningful.
    var bytesWritten: UInt64? { get }

    /// Copies text to the user's clipboard.
    ///
    /// - Returns: `true` if the text was sent, or `false` if the text is too long or the terminal
    ///   does not support a clipboard.
    func copy(_ text: String) -> Bool

    /// Displays a surface by sending only the cells that changed since the previous surface.
    func draw(_ surface: Surface)

    /// Waits for the next event.
    ///
    /// - Parameter nanoseconds: The timeout, or 0 to return without waiting.
    /// - Returns: The event, or `nil` after the timeout.
    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent?

    /// Restores the terminal, suspends the process, and reopens the terminal when the process
    /// continues.
    ///
    /// If no shell with job control is available, this method returns immediately, because nothing
    /// could resume the process.
    func suspend()

    /// Restores the terminal.
    ///
    /// Later calls have no effect.
    func close()
}
