import TerminalUI

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
