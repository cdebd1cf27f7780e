import ArgumentParser
import SQLiteWatch

/// The process that opens the files which `poolgauge top` watches: started by it, for its own use.
struct WatchHelperSubcommand: ParsableCommand {
    /// Its name, by which `top` starts it.
    static let name = "watch-helper"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Read the headers of the files that a watching process names.",
        shouldDisplay: false
    )

    func run() throws {
        WatchHelper.run()
    }
}
