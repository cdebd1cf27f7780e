import TerminalUI

package enum WatchCommand: Hashable, Sendable {
    /// Shows the screen at an index in ``WatchDashboard/screens``.
    case screen(Int)
    case nextDatabase
    case previousDatabase
    /// A navigation, time, or display command that both dashboards share.
    case common(DashboardCommand)

    /// The name in a configuration file.
    var name: String {
        switch self {
        case .screen(let index): "screen-\(index + 1)"
        case .nextDatabase: "next-database"
        case .previousDatabase: "previous-database"
        case .common(let command): command.rawValue
        }
    }

    /// The purpose of a command.
    ///
    /// The raw value is the title of a help section.
    enum Purpose: String, CaseIterable {
        case screens = "Screens"
        case navigation = "Navigation"
        case time = "Time"
        case display = "Display"
    }

    /// The purpose, or `nil` if this dashboard does not have the command.
    var purpose: Purpose? {
        switch self {
        case .screen, .nextDatabase, .previousDatabase: return .screens
        case .common(let command):
            switch command.purpose {
            case .screens, .actions: return nil
            case .navigation: return .navigation
            case .time: return .time
            case .display: return .display
            }
        }
    }
}

package typealias WatchKeys = KeyTable<WatchCommand>

extension KeyTable<WatchCommand> {
    /// Creates the keys for screens and applies the changes from a configuration file.
    ///
    /// - Parameters:
    ///   - screens: The screens, in the order of their keys `1`, `2`, …
    ///   - changes: The changed keys of the run dashboard. They also apply to the common commands
    ///     of this dashboard.
    /// - Throws: ``Failure`` if the quit command has no key.
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

    package static func standard(_ screens: [any WatchScreen.Type]) -> WatchKeys {
        WatchKeys(bindings: bindings(screens))
    }

    private static func bindings(
        _ screens: [any WatchScreen.Type]
    ) -> [KeyBinding<WatchCommand>] {
        screens.enumerated().map { index, screen in
            KeyBinding(
                index < 10 ? [.character(Character("\((index + 1) % 10)"))] : [],
                .screen(index),
                name: screen.title,
                help: screen.help
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
            help: "show the next database",
            priority: 20
        ),
        KeyBinding(
            [.character("N")],
            .previousDatabase,
            name: "previous database",
            help: "show the previous database"
        ),
    ]

    /// The help texts of common commands that differ in this dashboard.
    private static let helpTexts: [DashboardCommand: String] = [
        .left: "scroll left",
        .right: "scroll right",
        .pause: "freeze the display; watching continues",
        .stepBack: "freeze, and go back one report",
        .stepForward: "go forward one report",
        .seek: "go to an earlier time",
        .zoomIn: "zoom in: show a shorter period",
        .zoomOut: "zoom out: show a longer period",
        .quit: "quit",
    ]
}

/// The help overlay of the watch dashboard, which lists all keys and the symbols in lanes.
struct WatchHelp {
    let keys: WatchKeys
    var replayKeys: ReplayKeys?
    /// The index of the first displayed line.
    let top: Int

    func draw(on canvas: inout Canvas, in rect: Rect) {
        overlay(theme: canvas.theme, glyphs: canvas.glyphs).draw(on: &canvas, in: rect)
    }

    func lastTop(in size: Size) -> Int {
        overlay(theme: .standard, glyphs: .braille).lastTop(in: size)
    }

    private func overlay(theme: Theme, glyphs: GlyphSet) -> HelpOverlay {
        keys.help(
            sections: (replayKeys?.replayHelp(theme: theme) ?? [])
                + WatchCommand.Purpose.allCases.map { purpose in
                    keys.helpSection(purpose.rawValue, theme: theme) { command in
                        command.purpose == purpose
                    } help: { command in
                        guard replayKeys != nil, case .common(.back) = command else { return nil }
                        return DashboardCommand.back.helpForReplay
                    }
                }.filter { !$0.entries.isEmpty },
            marks: HelpOverlay.Section(
                title: "Symbols in the process lanes",
                entries: WatchLaneState.allCases.filter { $0 != .absent }.map {
                    $0.mark.help(meaning: $0.meaning, short: $0.label, theme, glyphs: glyphs)
                }
            ),
            back: .common(.back),
            top: top
        )
    }
}

extension KeyTable<WatchCommand> {
    /// The keys for viewing a recording, without the keys that control the time.
    package var forReplay: WatchKeys {
        replayTable { command in
            if case .common(let common) = command { common.isReplacedInReplay } else { false }
        }
    }
}
