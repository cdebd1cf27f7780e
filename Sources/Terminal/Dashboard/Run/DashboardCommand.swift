import Telemetry
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

extension DashboardCommand {
    /// The default keys, for key handling, the key bar, the help, and the documentation.
    ///
    /// Each help text is at most 40 columns wide, so that two texts fit side by side.
    package static let bindings: [KeyBinding<DashboardCommand>] =
        DashboardScreen.allCases.flatMap { screen in
            allCases.filter { $0.screen == screen }.map { command in
                KeyBinding(
                    [.character(Character("\(screen.rawValue)"))],
                    command,
                    name: screen.title,
                    help: screen.type.help
                )
            }
        } + navigation + time + actions + display

    private static let navigation: [KeyBinding<DashboardCommand>] = [
        KeyBinding([.up, .character("k")], .up, name: "up", help: "select the row above"),
        KeyBinding([.down, .character("j")], .down, name: "down", help: "select the row below"),
        KeyBinding([.left], .left, name: "left", help: "scroll left; lower the setting"),
        KeyBinding([.right], .right, name: "right", help: "scroll right; raise the setting"),
        KeyBinding([.pageUp], .pageUp, name: "page up", help: "move up one page"),
        KeyBinding([.pageDown], .pageDown, name: "page down", help: "move down one page"),
        KeyBinding([.home], .first, name: "first", help: "select the first row"),
        KeyBinding([.end], .last, name: "last", help: "select the last row"),
        KeyBinding(
            [.tab],
            .focusNext,
            name: "next part",
            help: "select the next part of the screen",
            priority: 12
        ),
        KeyBinding(
            [.backTab],
            .focusPrevious,
            name: "previous part",
            help: "select the previous part of the screen"
        ),
        KeyBinding(
            [.enter, .character("e")],
            .expand,
            name: "details",
            help: "show or hide details of the selection",
            priority: 25
        ),
        KeyBinding(
            [.character("/")],
            .filter,
            name: "filter",
            help: "show only rows that match a filter",
            priority: 23
        ),
        KeyBinding(
            [.character("s")],
            .sort,
            name: "sort",
            help: "sort by the next column",
            priority: 22
        ),
        KeyBinding(
            [.character("r")],
            .reverse,
            name: "reverse",
            help: "reverse the sort order",
            priority: 21
        ),
    ]

    private static let time: [KeyBinding<DashboardCommand>] = [
        KeyBinding(
            [.character(" ")],
            .pause,
            name: "freeze",
            help: "freeze the display; the run continues",
            priority: 30
        ),
        KeyBinding(
            [.character("[")],
            .stepBack,
            name: "back in time",
            help: "freeze, and go back one sample",
            priority: 17
        ),
        KeyBinding(
            [.character("]")],
            .stepForward,
            name: "forward",
            help: "go forward one sample",
            priority: 16
        ),
        KeyBinding(
            [.character("S")],
            .seek,
            name: "go to time",
            help: "go to a time in the run",
            priority: 13
        ),
        KeyBinding(
            [.character("+"), .character("=")],
            .zoomIn,
            name: "zoom in",
            help: "zoom in; raise the setting",
            priority: 9
        ),
        KeyBinding(
            [.character("-")],
            .zoomOut,
            name: "zoom out",
            help: "zoom out; lower the setting",
            priority: 8
        ),
    ]

    private static let actions: [KeyBinding<DashboardCommand>] = [
        KeyBinding(
            [.character("a")],
            .nextArm,
            name: "next arm",
            help: "run the next arm under the same load",
            priority: 28
        ),
        KeyBinding(
            [.character("n")],
            .snapshot,
            name: "snapshot",
            help: "take a snapshot, which pins the log",
            priority: 20
        ),
        KeyBinding(
            [.character("x")],
            .release,
            name: "release",
            help: "release one of your snapshots",
            priority: 19
        ),
        KeyBinding(
            [.character("i")],
            .interrupt,
            name: "interrupt",
            help: "interrupt the selected connection",
            priority: 24
        ),
        KeyBinding(
            [.character("I")],
            .interruptAll,
            name: "interrupt all",
            help: "interrupt every running statement",
            priority: 18
        ),
        KeyBinding(
            [.character("c")],
            .checkpoint,
            name: "checkpoint",
            help: "checkpoint the write-ahead log",
            priority: 15
        ),
        KeyBinding(
            [.character("p")],
            .pauseLoad,
            name: "pause load",
            help: "pause or resume the load",
            priority: 14
        ),
    ]

    private static let display: [KeyBinding<DashboardCommand>] = [
        KeyBinding([.character("<")], .slower, name: "slower", help: "lower the refresh rate"),
        KeyBinding([.character(">")], .faster, name: "faster", help: "raise the refresh rate"),
        KeyBinding(
            [.character("t")],
            .theme,
            name: "theme",
            help: "switch to the next theme",
            priority: 11
        ),
        KeyBinding(
            [.character("g")],
            .glyphs,
            name: "glyphs",
            help: "switch among braille, blocks, and ASCII",
            priority: 7
        ),
        KeyBinding(
            [.character("y")],
            .copy,
            name: "copy",
            help: "copy the selection (OSC 52)",
            priority: 6
        ),
        KeyBinding(
            [.character("R")],
            .record,
            name: "record",
            help: "start or stop a recording"
        ),
        KeyBinding(
            [.character("?"), .character("h"), .function(1)],
            .help,
            name: "help",
            help: "show or hide this help",
            priority: 31
        ),
        KeyBinding([.escape], .back, name: "back", help: "close, or return to the live view"),
        KeyBinding(
            [.character("q"), .control("c")],
            .quit,
            name: "quit",
            help: "quit and end the run",
            priority: 29
        ),
    ]

    /// Returns whether the command is available for an attached program.
    func applies(to program: ProgramStatus) -> Bool {
        switch self {
        case .latency, .compare, .workload: false
        // An agent interrupts all statements.
        case .nextArm, .pauseLoad, .snapshot, .release, .interrupt: false
        case .interruptAll, .checkpoint: program.allowsControl
        default: true
        }
    }

    /// The help text for an attached program, if it differs from the help text for a run.
    var helpForProgram: String? {
        switch self {
        case .overview: "overview: the database at a glance"
        case .pause: "freeze the display"
        case .seek: "go to a time since the start"
        case .checkpoint: "run a passive checkpoint"
        case .quit: "quit; the program continues"
        default: nil
        }
    }
}

extension DashboardModel {
    /// The attached program, or `nil` for a run.
    var program: ProgramStatus? { history.displayedSample?.program }

    /// Returns the reason that a command is not available for an attached program.
    func refusal(_ command: DashboardCommand, for program: ProgramStatus) -> String {
        switch command {
        case .latency, .compare, .workload: return "this screen requires a run's load"
        case .interrupt where program.allowsControl:
            let hint = keys.key(for: .interruptAll).map { "; \($0.label) interrupts all" } ?? ""
            return "a program's connections cannot be interrupted one by one" + hint
        case .interrupt, .interruptAll, .checkpoint:
            return "the program does not allow control; start its agent with allowsControl: true"
        default: return "this key requires a run's load"
        }
    }
}
