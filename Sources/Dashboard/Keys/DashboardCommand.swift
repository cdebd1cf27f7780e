import TerminalUI

/// What a key asks the dashboard for.
package enum DashboardCommand: String, Sendable, CaseIterable {
    /// Ends the program.
    case quit
    /// Stops the display, and lets it go on.
    case pause
    /// Goes on to the next arm.
    case nextArm
    /// Interrupts every statement that runs.
    case interrupt
    /// Takes a snapshot.
    case snapshot
    /// Releases the oldest snapshot that was taken by key.
    case release
    /// Changes the colours.
    case theme
    /// Shows less time.
    case zoomIn
    /// Shows more time.
    case zoomOut
    /// Shows or hides the help.
    case help
    /// Leaves what was opened last.
    case back

    /// Every key of the dashboard: dispatch, key bar, help and documentation come from here.
    package static let bindings: [KeyBinding<DashboardCommand>] = [
        KeyBinding(
            [.character("q"), .control("c")],
            .quit,
            name: "quit",
            help: "quit; the run ends",
            priority: 10
        ),
        KeyBinding(
            [.character("?"), .character("h"), .function(1)],
            .help,
            name: "help",
            help: "show or hide this help",
            priority: 11
        ),
        KeyBinding(
            [.character(" ")],
            .pause,
            name: "pause",
            help: "hold the display still, and let it go on; the run goes on meanwhile",
            priority: 9
        ),
        KeyBinding(
            [.character("a")],
            .nextArm,
            name: "next arm",
            help: "run the next arm: the same load on another way to open the database",
            priority: 8
        ),
        KeyBinding(
            [.character("i")],
            .interrupt,
            name: "interrupt",
            help: "interrupt every statement that runs now",
            priority: 7
        ),
        KeyBinding(
            [.character("n")],
            .snapshot,
            name: "snapshot",
            help: "take a snapshot, and keep it: it pins the write-ahead log",
            priority: 6
        ),
        KeyBinding(
            [.character("x")],
            .release,
            name: "release",
            help: "release the oldest snapshot that you took",
            priority: 5
        ),
        KeyBinding(
            [.character("t")],
            .theme,
            name: "theme",
            help: "change the colours: the next theme",
            priority: 4
        ),
        KeyBinding(
            [.character("+"), .character("=")],
            .zoomIn,
            name: "closer",
            help: "show less time in lanes and charts",
            priority: 3
        ),
        KeyBinding(
            [.character("-")],
            .zoomOut,
            name: "wider",
            help: "show more time, up to five minutes",
            priority: 2
        ),
        KeyBinding([.escape], .back, name: "back", help: "close the help", priority: nil),
    ]

    /// What a key asks for; nil for a key without a meaning.
    static func command(for key: Key) -> DashboardCommand? { commands[key] }

    private static let commands: [Key: DashboardCommand] = {
        var commands: [Key: DashboardCommand] = [:]
        for binding in bindings {
            for key in binding.keys { commands[key] = binding.command }
        }
        return commands
    }()
}

/// What the dashboard asks of the program that runs the load.
package enum DashboardAction: Sendable, Equatable {
    /// End the run and the program.
    case quit
    /// Stop this arm and start the next one.
    case nextArm
    /// Interrupt every statement that runs.
    case interrupt
    /// Take a snapshot and keep it.
    case makeSnapshot
    /// Release the oldest snapshot that was taken this way.
    case releaseSnapshot
}
