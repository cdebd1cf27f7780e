import CursesTerminal
import TerminalUI

/// The content of a ``DisplayLoop``, which collects data, handles events and renders.
protocol DisplayContent {
    /// The refresh rate, in frames per second.
    var refreshRate: Double { get }
    /// Whether the display is frozen and therefore drawn only once per second.
    var isPaused: Bool { get }
    /// Whether the loop ends because nothing else can happen.
    var isOver: Bool { get }
    /// The time since the key plan started, in nanoseconds; nil before the content accepts keys,
    /// and `.max` if it never does.
    func age(at now: UInt64) -> UInt64?

    /// Collects the data that arrived since the last call.
    mutating func collect()
    /// Sets the processor time of the display, as a share of one core.
    mutating func setDisplayCost(_ share: Double?)
    /// Handles an event; returns false if the program should end.
    mutating func handle(_ event: InputEvent) -> Bool
    /// Renders the content for a terminal of this size.
    func render(size: Size) -> Surface

    /// Stops the process through the terminal's job control (`^Z`), and returns after it continues.
    mutating func stop(_ terminal: any Terminal)
    /// Records that the process was stopped by `SIGSTOP` and has continued.
    mutating func noteContinued()
    /// Ends the running work.
    mutating func end()
}

/// The reason that a display ended.
enum DisplayEnd: Equatable {
    /// The user pressed the quit key.
    case quit
    /// A signal arrived.
    case signal(Int32)
    /// The image was written.
    case picture
    /// Nothing else can happen.
    case over
}
