import Foundation

/// The commands that start additional processes of this program.
enum ClientProcess {
    /// The command for a process that performs a client's accesses.
    static let command = command(ServeSubcommand.name)

    static var path: String {
        // On Linux, this link refers to the program's file, even if the shell found the program
        // through PATH.
        let link = "/proc/self/exe"
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return path ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    static func command(_ subcommand: String) -> [String] { [path, subcommand] }
}
