import TerminalUI

/// The bindings of keys to commands: the defaults, with the changes from a configuration file.
package struct KeyTable<Command: Hashable & Sendable>: Sendable {
    /// An error that describes an invalid key table.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The command with invalid keys.
        package var command: Command
        /// A description of the error and the expected value.
        package var description: String
    }

    /// All commands with their keys, including commands without keys.
    package let bindings: [KeyBinding<Command>]
    private let commands: [Key: Command]

    /// Creates a table with the default keys.
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
    /// A key in the changes is removed from its default command.
    ///
    /// - Parameters:
    ///   - bindings: The default keys.
    ///   - changes: The keys of the commands to change, the displayed key first. An empty list
    ///     disables a command.
    ///   - quit: The command that must keep a key.
    ///   - name: A closure that returns the name of a command in a configuration file.
    /// - Throws: ``Failure`` if the changes assign a key to two commands, or if no key quits.
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
                description: "'\(name(quit))' needs a key, such as q"
            )
        }
        self.init(bindings: changed)
    }

    /// Returns the command of a key, or `nil` for a key without a command.
    package func command(for key: Key) -> Command? { commands[key] }

    /// Returns the first key of a command, or `nil` if there is no key.
    package func key(for command: Command) -> Key? {
        bindings.first { $0.command == command }?.keys.first
    }
}
