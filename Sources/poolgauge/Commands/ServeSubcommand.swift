import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// A process that performs a client's accesses.
///
/// A run starts this process.
struct ServeSubcommand: ParsableCommand {
    static let name = "serve-client"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Perform the accesses that a run requests on standard input.",
        shouldDisplay: false
    )

    func run() throws {
        RemoteTargetServer.dieWithParent()
        RemoteTargetServer(factory: LibraryTargetFactory()).run()
    }
}
