import TerminalUI

/// What a key asks the watch dashboard for.
package enum WatchCommand: Hashable, Sendable {
    /// Shows a screen, by its place in ``WatchDashboard/screens``.
    case screen(Int)
    /// Shows the next database.
    case nextDatabase
    /// Shows the database before.
    case previousDatabase
    /// What the dashboard over a run does with the same key: it moves, travels in time, or changes
    /// the display.
    case common(DashboardCommand)

    /// Its name in a configuration.
    var name: String {
        switch self {
        case .screen(let place): "screen-\(place + 1)"
        case .nextDatabase: "next-database"
        case .previousDatabase: "previous-database"
        case .common(let command): command.rawValue
        }
    }

    /// What commands are for: the sections of the help.
    enum Purpose: String, CaseIterable {
        case screens = "Screens"
        case moving = "Moving about"
        case time = "Time"
        case display = "Display"
    }

    /// What it is for; nil for a command that this dashboard does not have.
    var purpose: Purpose? {
        switch self {
        case .screen, .nextDatabase, .previousDatabase: return .screens
        case .common(let command):
            switch command.purpose {
            case .screens, .acting: return nil
            case .moving: return .moving
            case .time: return .time
            case .display: return .display
            }
        }
    }
}

/// The keys of the watch dashboard.
package typealias WatchKeys = KeyTable<WatchCommand>

extension KeyTable<WatchCommand> {
    /// The keys for these screens.
    ///
    /// - Parameters:
    ///   - screens: The screens, in the order of their keys `1`, `2`, …
    ///   - changes: The keys that a configuration gives to commands of the dashboard over a run;
    ///     keys that both dashboards share change here too.
    /// - Throws: ``Failure`` when no key would quit.
    package init(
        screens: [any WatchScreen.Type],
        changing changes: [DashboardCommand: [Key]] = [:]
    ) throws(Failure) {
        let bindings = Self.bindings(screens)
        var common: [WatchCommand: [Key]] = [:]
        for binding in bindings {
            guard case .common(let command) = binding.command else { continue }
            common[binding.command] = changes[command]
        }
        try self.init(
            bindings: bindings,
            changing: common,
            keeping: .common(.quit),
            name: \.name
        )
    }

    /// The keys for these screens, as they ship.
    package static func standard(_ screens: [any WatchScreen.Type]) -> WatchKeys {
        WatchKeys(bindings: bindings(screens))
    }

    private static func bindings(
        _ screens: [any WatchScreen.Type]
    ) -> [KeyBinding<WatchCommand>] {
        screens.enumerated().map { place, screen in
            KeyBinding(
                place < 9 ? [.character(Character("\(place + 1)"))] : [],
                .screen(place),
                name: screen.title,
                help: screen.help,
                priority: nil
            )
        } + databases
            + DashboardCommand.bindings.compactMap { binding in
                let command = WatchCommand.common(binding.command)
                guard command.purpose != nil else { return nil }
                return KeyBinding(
                    binding.keys,
                    command,
                    name: binding.name,
                    help: helpTexts[binding.command] ?? binding.help,
                    priority: binding.priority
                )
            }
    }

    private static let databases: [KeyBinding<WatchCommand>] = [
        KeyBinding(
            [.character("n")],
            .nextDatabase,
            name: "next database",
            help: "the next database",
            priority: 20
        ),
        KeyBinding(
            [.character("N")],
            .previousDatabase,
            name: "database before",
            help: "the database before",
            priority: nil
        ),
    ]

    /// What the common commands mean here, where that differs.
    private static let helpTexts: [DashboardCommand: String] = [
        .left: "columns to the left",
        .right: "columns to the right",
        .pause: "freeze the display; watching continues",
        .stepBack: "freeze, and one report back",
        .stepForward: "one report forward",
        .seek: "go to a time of the watch",
        .zoomIn: "show less time",
        .zoomOut: "show more time",
        .quit: "quit",
    ]
}
