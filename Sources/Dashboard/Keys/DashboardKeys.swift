import TerminalUI

/// Which key asks for what: the keys as they ship, and what somebody changed about them.
package struct DashboardKeys: Sendable {
    /// Why a table of keys cannot be used.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The command whose keys are wrong.
        package var command: DashboardCommand
        /// What is wrong, and what was expected.
        package var description: String
    }

    /// The keys as they ship.
    package static let standard = DashboardKeys(bindings: DashboardCommand.bindings)

    /// Every command with its keys; a command that lost them all has none.
    package let bindings: [KeyBinding<DashboardCommand>]
    private let commands: [Key: DashboardCommand]

    private init(bindings: [KeyBinding<DashboardCommand>]) {
        self.bindings = bindings
        var commands: [Key: DashboardCommand] = [:]
        for binding in bindings {
            for key in binding.keys { commands[key] = binding.command }
        }
        self.commands = commands
    }

    /// The keys as they ship, but for those of the commands in a table.
    ///
    /// A key that the table gives to one command is taken from the one that has it as it ships.
    ///
    /// - Parameter changes: The keys of commands, the one that is shown first; none switches a
    ///   command off.
    /// - Throws: ``Failure`` when two commands of the table want the same key, or when nothing
    ///   would quit any more.
    package init(changing changes: [DashboardCommand: [Key]]) throws(Failure) {
        var owners: [Key: DashboardCommand] = [:]
        for command in DashboardCommand.allCases {
            for key in changes[command] ?? [] {
                if let owner = owners[key], owner != command {
                    throw Failure(
                        command: command,
                        description: "the key \(key.label) of '\(command.rawValue)' is "
                            + "'\(owner.rawValue)' already; give one of them another"
                    )
                }
                owners[key] = command
            }
        }
        let bindings = DashboardCommand.bindings.map { binding in
            let keys =
                changes[binding.command] ?? binding.keys.filter { owners[$0] == nil }
            return KeyBinding(
                keys,
                binding.command,
                name: binding.name,
                help: binding.help,
                priority: binding.priority
            )
        }
        guard bindings.contains(where: { $0.command == .quit && !$0.keys.isEmpty }) else {
            throw Failure(
                command: .quit,
                description: "no key is left for 'quit'; give it one, such as q"
            )
        }
        self.init(bindings: bindings)
    }

    /// What a key asks for; nil for a key without a meaning.
    package func command(for key: Key) -> DashboardCommand? { commands[key] }

    /// The label of the key that shows a screen; nil where it has none.
    func label(of screen: DashboardScreen) -> String? {
        DashboardCommand.allCases.first { $0.screen == screen }.flatMap(key)?.label
    }

    /// The key of a command that is shown first; nil where it has none.
    package func key(for command: DashboardCommand) -> Key? {
        bindings.first { $0.command == command }?.keys.first
    }
}
