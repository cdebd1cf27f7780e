import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// The other process of a scenario's client: started by a run, for its own use.
struct ServeSubcommand: ParsableCommand {
    /// Its name, by which a run starts it.
    static let name = "serve-client"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Make the accesses that a run asks for on standard input.",
        shouldDisplay: false
    )

    func run() throws {
        RemoteTargetServer.dieWithParent()
        RemoteTargetServer(factory: LibraryTargetFactory()).run()
    }
}
