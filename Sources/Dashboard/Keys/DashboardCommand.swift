import TerminalUI

/// What a key asks the dashboard for; the raw value is its name in a configuration.
package enum DashboardCommand: String, Sendable, CaseIterable {
    /// Shows screen 1.
    case overview
    /// Shows screen 2.
    case connections
    /// Shows screen 3.
    case waiters
    /// Shows screen 4.
    case snapshots
    /// Shows screen 5.
    case latency
    /// Shows screen 6.
    case compare
    /// Shows screen 7.
    case workload
    /// Gives the keys to the next part of the screen.
    case focusNext = "focus-next"
    /// Gives the keys to the part before.
    case focusPrevious = "focus-previous"
    /// Moves the selection up.
    case up
    /// Moves the selection down.
    case down
    /// Moves to the left.
    case left
    /// Moves to the right.
    case right
    /// Moves up by a page.
    case pageUp = "page-up"
    /// Moves down by a page.
    case pageDown = "page-down"
    /// Moves to the first row.
    case first
    /// Moves to the last row.
    case last
    /// Shows all of what is selected.
    case expand
    /// Asks for a text that rows must contain.
    case filter
    /// Sorts by the next column.
    case sort
    /// Sorts the other way around.
    case reverse
    /// Stops the display, and lets it go on.
    case pause
    /// Goes back by one sample.
    case stepBack = "step-back"
    /// Goes forward by one sample.
    case stepForward = "step-forward"
    /// Asks for a time to go to.
    case seek
    /// Shows less time, or turns a knob up.
    case zoomIn = "zoom-in"
    /// Shows more time, or turns a knob down.
    case zoomOut = "zoom-out"
    /// Draws less often.
    case slower
    /// Draws more often.
    case faster
    /// Goes on to the next arm.
    case nextArm = "next-arm"
    /// Holds the load back, and lets it go on.
    case pauseLoad = "pause-load"
    /// Interrupts what the selected connection runs.
    case interrupt
    /// Interrupts every statement that runs.
    case interruptAll = "interrupt-all"
    /// Asks how far to checkpoint.
    case checkpoint
    /// Takes a snapshot.
    case snapshot
    /// Releases a snapshot that was taken by key.
    case release
    /// Changes the colours.
    case theme
    /// Changes what pictures are made of.
    case glyphs
    /// Copies what is selected.
    case copy
    /// Shows or hides the help.
    case help
    /// Leaves what was opened last.
    case back
    /// Ends the program.
    case quit

    /// The screen that it shows; nil where it does something else.
    var screen: DashboardScreen? {
        switch self {
        case .overview: .overview
        case .connections: .connections
        case .waiters: .waiters
        case .snapshots: .snapshots
        case .latency: .latency
        case .compare: .compare
        case .workload: .workload
        default: nil
        }
    }

    /// What commands are for: the sections of the help.
    enum Purpose: String, CaseIterable {
        case screens = "Screens"
        case moving = "Moving about"
        case time = "Time"
        case acting = "Acting on the run"
        case display = "Display"
    }

    /// What it is for.
    var purpose: Purpose {
        switch self {
        case .overview, .connections, .waiters, .snapshots, .latency, .compare, .workload: .screens
        case .focusNext, .focusPrevious, .up, .down, .left, .right, .pageUp, .pageDown, .first,
            .last, .expand, .filter, .sort, .reverse:
            .moving
        case .pause, .stepBack, .stepForward, .seek, .zoomIn, .zoomOut: .time
        case .nextArm, .pauseLoad, .interrupt, .interruptAll, .checkpoint, .snapshot, .release:
            .acting
        case .slower, .faster, .theme, .glyphs, .copy, .help, .back, .quit: .display
        }
    }
}
