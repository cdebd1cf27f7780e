import TerminalUI

/// A command of the dashboard.
///
/// The raw value is the name in a configuration file.
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
    case focusNext = "focus-next"
    case focusPrevious = "focus-previous"
    case up
    case down
    /// Moves left, or lowers a setting.
    case left
    /// Moves right, or raises a setting.
    case right
    case pageUp = "page-up"
    case pageDown = "page-down"
    /// Moves to the first row.
    case first
    /// Moves to the last row.
    case last
    /// Expands the selection.
    case expand
    /// Prompts for a filter.
    case filter
    /// Sorts by the next column.
    case sort
    case reverse
    /// Freezes or resumes the display.
    case pause
    /// Goes back one sample.
    case stepBack = "step-back"
    /// Goes forward one sample.
    case stepForward = "step-forward"
    /// Prompts for a time to go to.
    case seek
    /// Shows less time, or raises a setting.
    case zoomIn = "zoom-in"
    /// Shows more time, or lowers a setting.
    case zoomOut = "zoom-out"
    /// Lowers the refresh rate.
    case slower
    /// Raises the refresh rate.
    case faster
    /// Runs the next arm.
    case nextArm = "next-arm"
    /// Pauses or resumes the load.
    case pauseLoad = "pause-load"
    /// Interrupts the statement of the selected connection.
    case interrupt
    /// Interrupts all running statements.
    case interruptAll = "interrupt-all"
    /// Prompts for a checkpoint mode.
    case checkpoint
    case snapshot
    /// Releases a snapshot that was created with a key.
    case release
    /// Switches to the next theme.
    case theme
    /// Switches to the next character set for charts.
    case glyphs
    /// Copies the selection.
    case copy
    /// Shows or hides the help.
    case help
    /// Reverts the first active state of expansion, filter, freeze, focus, and selection.
    case back
    /// Quits the program.
    case quit

    /// The screen that the command shows, if any.
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

    /// The purpose of a command.
    ///
    /// The raw values are the section titles of the help.
    enum Purpose: String, CaseIterable {
        case screens = "Screens"
        case moving = "Navigation"
        case time = "Time"
        case acting = "Actions on the run"
        case display = "Display"
    }

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
