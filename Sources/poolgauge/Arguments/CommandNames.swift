import ArgumentParser
import Units

extension Poolgauge {
    /// Throws an error that suggests the nearest name if the arguments start with an unknown
    /// subcommand.
    static func checkCommandNames(in arguments: [String]) throws {
        var names = arguments.prefix { !$0.hasPrefix("-") }
        if names.first == "help" { names = names.dropFirst() }
        var command: any ParsableCommand.Type = Poolgauge.self
        for name in names {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else { return }
            guard let next = subcommands.first(where: { $0._commandName == name }) else {
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
