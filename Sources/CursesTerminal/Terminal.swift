import TerminalUI

/// What a terminal tells the program that draws on it.
package enum TerminalEvent: Sendable, Hashable {
    /// A key, a mouse, or a new size.
    case input(InputEvent)
    /// Somebody wants the program to stop (^Z): see ``Terminal/stop()``.
    case stop
    /// The program was stopped without a word (`SIGSTOP`), and goes on.
    case continued
    /// Somebody wants the program to end: `SIGINT`, `SIGTERM`, or `SIGHUP` when the terminal is
    /// gone.
    case end(signal: Int32)
}

/// A place to draw on, and the keys that belong to it; for one thread.
package protocol Terminal: AnyObject {
    /// The extent.
    var size: Size { get }

    /// What it can show of a theme's colours.
    var depth: ColorDepth { get }

    /// How many bytes went to it since it was opened, or since some moment before; nil when nobody
    /// counts them.
    var bytesWritten: UInt64? { get }

    /// Puts a text on the clipboard of the terminal's user.
    ///
    /// - Returns: Whether the terminal was asked to; false when it cannot, or the text is too long.
    func copy(_ text: String) -> Bool

    /// Shows a surface, and sends only the cells that changed since the last one.
    func draw(_ surface: Surface)

    /// The next event.
    ///
    /// - Parameter nanoseconds: How long to wait for one; 0 to look only.
    /// - Returns: nil when the time is over.
    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent?

    /// Gives the terminal back, stops the process, and takes the terminal again when it goes on.
    ///
    /// Returns at once where nobody could let it go on: without a shell that controls jobs.
    func stop()

    /// Gives the terminal back as it was; a second time it does nothing.
    func close()
}
