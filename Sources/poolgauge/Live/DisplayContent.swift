import CursesTerminal
import TerminalUI

/// The content of a ``DisplayLoop``, which collects data, handles events, and renders frames.
protocol DisplayContent {
    /// The refresh rate, in frames/s.
    var refreshRate: Double { get }
    /// Whether the display is frozen, and therefore drawn only once per second.
    var isPaused: Bool { get }
    /// Whether the content has ended, which ends the loop.
    var isOver: Bool { get }
    /// Returns the time since the start of the key plan, in nanoseconds.
    ///
    /// - Returns: The time, `nil` if the content does not accept keys yet, or `.max` if it will
    ///   never accept keys.
    func age(at now: UInt64) -> UInt64?

    mutating func collect()
    /// Sets the CPU time of the display, as a share of one CPU.
    mutating func setDisplayCost(_ share: Double?)
    /// Handles an event, and returns `false` to end the program.
    mutating func handle(_ event: InputEvent) -> Bool
    func render(size: Size) -> Surface

    /// Suspends the process through the terminal's job control (`^Z`) until the process continues.
    mutating func suspend(_ terminal: any Terminal)
    /// Records that the process continued after a `SIGSTOP`.
    mutating func noteContinued()
    mutating func end()
}

enum DisplayEnd: Equatable {
    case quit
    case signal(Int32)
    case picture
    /// The content ended.
    case over
}
