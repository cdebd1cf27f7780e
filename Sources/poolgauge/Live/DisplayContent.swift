import CursesTerminal
import TerminalUI

/// The content of a ``DisplayLoop``, which collects data, handles events, and renders frames.
protocol DisplayContent {
    /// The refresh rate, in frames per second.
    var refreshRate: Double { get }
    /// Whether the display is frozen, so that it is drawn only once per second.
    var isPaused: Bool { get }
    /// Whether the loop should end because nothing more can happen.
    var isOver: Bool { get }
    /// Returns the time since the key plan started, in nanoseconds.
    ///
    /// Returns `nil` if the content does not accept keys yet, and `.max` if it never will.
    func age(at now: UInt64) -> UInt64?

    /// Collects the data that arrived since the last call.
    mutating func collect()
    /// Sets the CPU time of the display, as a share of one CPU.
    mutating func setDisplayCost(_ share: Double?)
    /// Handles an event, and returns `false` if the program should end.
    mutating func handle(_ event: InputEvent) -> Bool
    /// Renders the content for a terminal of the given size.
    func render(size: Size) -> Surface

    /// Stops the process through the terminal's job control (`^Z`), and returns when the process
    /// continues.
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
    /// The image was rendered.
    case picture
    /// Nothing more could happen.
    case over
}
