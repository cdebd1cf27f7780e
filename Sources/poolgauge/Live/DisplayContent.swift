import CursesTerminal
import TerminalUI

/// What a ``DisplayLoop`` shows: a model that collects, handles events and renders surfaces.
protocol DisplayContent {
    /// Frames per second.
    var refreshRate: Double { get }
    /// Whether the display is frozen, so that it is drawn once a second only.
    var isPaused: Bool { get }
    /// Whether the loop ends, because nothing more can happen.
    var isOver: Bool { get }
    /// Nanoseconds since planned keys count; nil as long as there is nothing to press them on, and
    /// `.max` when there never will be.
    func age(at now: UInt64) -> UInt64?

    /// Takes in what has happened since the last call.
    mutating func collect()
    /// Takes in the processor time of the display, as a share of one core.
    mutating func setDisplayCost(_ share: Double?)
    /// Takes in an event, and does what it asks for; false when the program shall end.
    mutating func handle(_ event: InputEvent) -> Bool
    /// The picture for a terminal of this size.
    func render(size: Size) -> Surface

    /// Stops the process with the terminal's job control (`^Z`), and continues afterwards.
    mutating func stop(_ terminal: any Terminal)
    /// Notes that the process was stopped by `SIGSTOP` and has continued.
    mutating func noteContinued()
    /// Ends what runs.
    mutating func end()
}

/// Why a display ended.
enum DisplayEnd: Equatable {
    /// The key for it was pressed.
    case quit
    /// A signal.
    case signal(Int32)
    /// The picture was taken.
    case picture
    /// Nothing more can happen.
    case over
}
