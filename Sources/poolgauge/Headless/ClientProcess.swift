import Foundation

/// How this program starts itself again, for work that needs a process of its own.
enum ClientProcess {
    /// The command that serves a scenario's client.
    static let command = command(ServeSubcommand.name)

    /// The program, and the name of a subcommand.
    static func command(_ subcommand: String) -> [String] {
        // On Linux the link names the program however it was found.
        let link = "/proc/self/exe"
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return [path ?? CommandLine.arguments[0], subcommand]
    }
}
