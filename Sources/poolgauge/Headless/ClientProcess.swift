import Foundation

/// The commands with which this program starts itself for work that needs a separate process.
enum ClientProcess {
    /// The command that serves a scenario's client.
    static let command = command(ServeSubcommand.name)

    /// The path of this program.
    static var path: String {
        // On Linux, the link names the program's file, even if the shell found it through PATH.
        let link = "/proc/self/exe"
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return path ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    /// The path of this program and the name of a subcommand.
    static func command(_ subcommand: String) -> [String] { [path, subcommand] }
}
