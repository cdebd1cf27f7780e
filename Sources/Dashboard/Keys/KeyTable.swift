import TerminalUI

/// The bindings of keys to commands: the shipped ones, with the changes of a configuration.
package struct KeyTable<Command: Hashable & Sendable>: Sendable {
    /// Why a table of keys cannot be used.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The command whose keys are wrong.
        package var command: Command
        /// What is wrong, and what was expected.
        package var description: String
    }

    /// Every command with its keys; a command that lost them all has none.
    package let bindings: [KeyBinding<Command>]
    private let commands: [Key: Command]

    /// Creates a table of the keys as they ship.
    init(bindings: [KeyBinding<Command>]) {
        self.bindings = bindings
        var commands: [Key: Command] = [:]
        for binding in bindings {
            for key in binding.keys { commands[key] = binding.command }
        }
        self.commands = commands
    }

    /// Creates a table of the keys as they ship, except those of some commands.
    ///
    /// A key that the changes give to one command is taken from the one that has it as it ships.
    ///
    /// - Parameters:
    ///   - bindings: The keys as they ship.
    ///   - changes: The keys of commands, the one that is shown first; an empty list switches a
    ///     command off.
    ///   - quit: The command that must keep a key.
    ///   - name: The name of a command in a configuration.
    /// - Throws: ``Failure`` when two commands of the changes want the same key, or when no key
    ///   would quit.
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
                        description: "the key \(key.label) of '\(name(command))' is "
                            + "'\(name(owner))' already; give one of them another"
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
                description: "no key is left for '\(name(quit))'; give it one, such as q"
            )
        }
        self.init(bindings: changed)
    }

    /// What a key asks for; nil for a key without a meaning.
    package func command(for key: Key) -> Command? { commands[key] }

    /// The key of a command that is shown first; nil where it has none.
    package func key(for command: Command) -> Key? {
        bindings.first { $0.command == command }?.keys.first
    }
}
