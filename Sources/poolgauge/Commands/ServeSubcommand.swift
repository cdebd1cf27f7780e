import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// The separate process of a scenario's client, which a run starts.
struct ServeSubcommand: ParsableCommand {
    /// The name of the subcommand that a run uses to start it.
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
