import Foundation

/// How a run starts this program again, for clients that live in a process of their own.
enum ClientProcess {
    /// The program and its arguments.
    static let command: [String] = {
        // On Linux the link names the program however it was found.
        let link = "/proc/self/exe"
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return [path ?? CommandLine.arguments[0], ServeSubcommand.name]
    }()
}
