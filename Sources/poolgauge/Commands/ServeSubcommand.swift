import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// The process of a scenario's client that has its own process; a run starts it.
struct ServeSubcommand: ParsableCommand {
    /// The name with which a run starts it.
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
