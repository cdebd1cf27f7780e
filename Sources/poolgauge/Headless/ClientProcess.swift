import Foundation

/// The commands that this program uses to start itself for work that requires a separate process.
enum ClientProcess {
    /// The command that serves a scenario's client.
    static let command = command(ServeSubcommand.name)

    /// The path of this program.
    static var path: String {
        // On Linux, the link refers to the program's file, even if the shell found it through PATH.
        let link = "/proc/self/exe"
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return path ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    /// Returns the path of this program and the name of a subcommand.
    static func command(_ subcommand: String) -> [String] { [path, subcommand] }
}
