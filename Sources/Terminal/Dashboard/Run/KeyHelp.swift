import Telemetry
import TerminalUI

/// The help overlay, which lists all keys and the symbols in lanes.
struct KeyHelp {
    let keys: DashboardKeys
    /// The attached program, or `nil` for a run.
    let program: ProgramStatus?
    var replayKeys: ReplayKeys?
    /// The index of the first displayed line.
    let top: Int

    func draw(on canvas: inout Canvas, in rect: Rect) {
        overlay(theme: canvas.theme, glyphs: canvas.glyphs).draw(on: &canvas, in: rect)
    }

    func lastTop(in size: Size) -> Int {
        overlay(theme: .standard, glyphs: .braille).lastTop(in: size)
    }

    private func title(of purpose: DashboardCommand.Purpose) -> String {
        purpose == .actions && program != nil ? "Actions on the program" : purpose.rawValue
    }

    private func overlay(theme: Theme, glyphs: GlyphSet) -> HelpOverlay {
        keys.help(
            sections: (replayKeys?.replayHelp(theme: theme) ?? [])
                + DashboardCommand.Purpose.allCases.map { purpose in
                    keys.helpSection(title(of: purpose), theme: theme) { command in
                        command.purpose == purpose && (program.map(command.applies) ?? true)
                    } help: { command in
                        if replayKeys != nil, let text = command.helpForReplay { return text }
                        return program == nil ? nil : command.helpForProgram
                    }
                }.filter { !$0.entries.isEmpty },
            marks: HelpOverlay.Section(
                title: "Symbols in the connection lanes",
                entries: LaneState.allCases.filter { $0 != .absent }.map {
                    $0.mark.help(meaning: $0.meaning, short: $0.label, theme, glyphs: glyphs)
                }
            ),
            back: .back,
            top: top
        )
    }
}

extension LaneStrip.Mark {
    func help(
        meaning: String,
        short: String,
        _ theme: Theme,
        glyphs: GlyphSet
    ) -> HelpOverlay.Entry {
        HelpOverlay.Entry(
            term: Span(text(in: glyphs), theme.style(role)),
            meaning: meaning,
            short: short
        )
    }
}

extension KeyTable {
    func help(
        sections: [HelpOverlay.Section],
        marks: HelpOverlay.Section,
        back: Command,
        top: Int
    ) -> HelpOverlay {
        HelpOverlay(
            title: "Help",
            sections: sections + [marks],
            hint: "\(key(for: back)?.label ?? "Esc") closes; you can also click keys, rows, "
                + "titles, and charts",
            top: top
        )
    }

    func helpSection(
        _ title: String,
        theme: Theme,
        where isIncluded: (Command) -> Bool,
        help: (Command) -> String? = { _ in nil }
    ) -> HelpOverlay.Section {
        HelpOverlay.Section(
            title: title,
            entries: bindings.filter { isIncluded($0.command) && !$0.keys.isEmpty }.map { binding in
                HelpOverlay.Entry(
                    term: Span(
                        binding.keys.map(\.label).joined(separator: " "),
                        theme.bold(.accent)
                    ),
                    meaning: help(binding.command) ?? binding.help,
                    short: binding.name
                )
            }
        )
    }
}

extension KeyTable<ReplayCommand> {
    /// Returns the help section about the keys of a replay.
    func replayHelp(theme: Theme) -> [HelpOverlay.Section] {
        [helpSection("Replay", theme: theme) { _ in true }]
    }
}

/// A table of keys and their commands: the defaults, with the changes from a configuration file.
package struct KeyTable<Command: Hashable & Sendable>: Sendable {
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        package var command: Command
        /// A description of the error and the expected value.
        package var description: String
    }

    /// All commands, including commands without keys.
    package let bindings: [KeyBinding<Command>]
    private let commands: [Key: Command]

    init(bindings: [KeyBinding<Command>]) {
        self.bindings = bindings
        var commands: [Key: Command] = [:]
        for binding in bindings {
            for key in binding.keys { commands[key] = binding.command }
        }
        self.commands = commands
    }

    /// Creates a table with the default keys and changes for some commands.
    ///
    /// A key in `changes` loses its default command.
    ///
    /// - Parameters:
    ///   - bindings: The default keys.
    ///   - changes: The new keys of commands, with the displayed key first. An empty array disables
    ///     a command.
    ///   - quit: The command that must keep a key.
    ///   - name: A closure that returns a command's name in a configuration file.
    /// - Throws: ``Failure`` if the changes assign a key to two commands, or if `quit` has no key.
    init(
        bindings: [KeyBinding<Command>],
        changing changes: [Command: [Key]],
        keeping quit: Command,
        name: (Command) -> String
    ) throws(Failure) {
        var owners: [Key: Command] = [:]
        for binding in bindings {
            let command = binding.command
            for key in changes[command] ?? [] {
                if let owner = owners[key], owner != command {
                    throw Failure(
                        command: command,
                        description: "the key \(key.label) of '\(name(command))' is already "
                            + "assigned to '\(name(owner))'; choose another key for one command"
                    )
                }
                owners[key] = command
            }
        }
        let changed = bindings.map { binding in
            KeyBinding(
                changes[binding.command] ?? binding.keys.filter { owners[$0] == nil },
                binding.command,
                name: binding.name,
                help: binding.help,
                priority: binding.priority
            )
        }
        guard changed.contains(where: { $0.command == quit && !$0.keys.isEmpty }) else {
            throw Failure(
                command: quit,
                description: "'\(name(quit))' requires a key, such as q"
            )
        }
        self.init(bindings: changed)
    }

    /// Returns the command for a key, if any.
    package func command(for key: Key) -> Command? { commands[key] }

    /// Returns the first key for a command, or `nil` if the command has no key.
    package func key(for command: Command) -> Key? {
        bindings.first { $0.command == command }?.keys.first
    }
}

/// The keys of the run dashboard.
package typealias DashboardKeys = KeyTable<DashboardCommand>

extension KeyTable<DashboardCommand> {
    package static var standard: DashboardKeys {
        DashboardKeys(bindings: DashboardCommand.bindings)
    }

    /// Creates the default keys with changes for some commands.
    ///
    /// - Parameter changes: The new keys of commands, with the displayed key first. An empty array
    ///   disables a command.
    /// - Throws: ``Failure`` if the changes assign a key to two commands, or if the quit command
    ///   has no key.
    package init(changing changes: [DashboardCommand: [Key]]) throws(Failure) {
        try self.init(
            bindings: DashboardCommand.bindings,
            changing: changes,
            keeping: .quit,
            name: \.rawValue
        )
    }

    /// Returns the label of the key for a screen, or `nil` if the screen has no key.
    func label(of screen: DashboardScreen) -> String? {
        DashboardCommand.allCases.first { $0.screen == screen }.flatMap(key)?.label
    }
}
