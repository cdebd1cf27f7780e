import ArgumentParser
import SQLiteWatch

/// A process that opens the files to watch.
///
/// `poolgauge top` starts this process.
struct WatchHelperSubcommand: ParsableCommand {
    static let name = "watch-helper"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Read the headers of the files that a watching process specifies.",
        shouldDisplay: false
    )

    func run() throws {
        WatchHelper.run()
    }
}
