import TerminalUI

/// A command of the dashboard.
///
/// The raw value is the name in a configuration file.
package enum DashboardCommand: String, Sendable, CaseIterable {
    case overview
    case connections
    case waiters
    case snapshots
    case latency
    case compare
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
    case first
    case last
    /// Shows or hides details of the selection.
    case expand
    case filter
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
    /// Shows a shorter time window, or raises a setting.
    case zoomIn = "zoom-in"
    /// Shows a longer time window, or lowers a setting.
    case zoomOut = "zoom-out"
    /// Lowers the refresh rate.
    case slower
    /// Raises the refresh rate.
    case faster
    case nextArm = "next-arm"
    case pauseLoad = "pause-load"
    /// Interrupts the statement of the selected connection.
    case interrupt
    case interruptAll = "interrupt-all"
    /// Prompts for a checkpoint mode.
    case checkpoint
    case snapshot
    /// Releases a snapshot that the user took.
    case release
    case theme
    /// Switches to the next character set for charts.
    case glyphs
    case copy
    /// Starts or stops a recording.
    case record
    case help
    /// Reverts the first of these states that is active: expansion, filter, freeze, selected part,
    /// selected row.
    case back
    case quit

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
    /// The raw value is the title of a help section.
    enum Purpose: String, CaseIterable {
        case screens = "Screens"
        case navigation = "Navigation"
        case time = "Time"
        case actions = "Actions on the run"
        case display = "Display"
    }

    var purpose: Purpose {
        switch self {
        case .overview, .connections, .waiters, .snapshots, .latency, .compare, .workload: .screens
        case .focusNext, .focusPrevious, .up, .down, .left, .right, .pageUp, .pageDown, .first,
            .last, .expand, .filter, .sort, .reverse:
            .navigation
        case .pause, .stepBack, .stepForward, .seek, .zoomIn, .zoomOut: .time
        case .nextArm, .pauseLoad, .interrupt, .interruptAll, .checkpoint, .snapshot, .release:
            .actions
        case .slower, .faster, .theme, .glyphs, .copy, .record, .help, .back, .quit: .display
        }
    }
}
