import ArgumentParser
import Text

extension Poolgauge {
    /// Throws an error if the arguments start with an unknown subcommand or contain an option that
    /// earlier versions had.
    ///
    /// The error suggests the nearest name or the replacement.
    static func checkCommandNames(in arguments: [String]) throws {
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
        for option in options.map({ $0.prefix { $0 != "=" } }) {
            if let removed = RemovedFeature(rawValue: String(option)) {
                throw CommandFailure(removed.message)
            }
        }
        var names = arguments.prefix { !$0.hasPrefix("-") }
        if names.first == "help" { names = names.dropFirst() }
        var command: any ParsableCommand.Type = Poolgauge.self
        for name in names {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else { return }
            let next = subcommands.first { subcommand in
                subcommand._commandName == name || subcommand.configuration.aliases.contains(name)
            }
            guard let next else {
                if let removed = RemovedFeature(rawValue: name) {
                    throw CommandFailure(removed.message)
                }
                let visibleSubcommands = subcommands.filter { $0.configuration.shouldDisplay }
                throw CommandFailure(
                    "unknown command '\(name)'"
                        + NearestName.hint(name, among: visibleSubcommands.map { $0._commandName })
                )
            }
            command = next
        }
    }
}
