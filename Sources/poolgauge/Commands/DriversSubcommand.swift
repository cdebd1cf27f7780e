import ArgumentParser
import GRDBTarget
import Scenarios
import Text
import WorkloadEngine

struct DriversSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drivers",
        abstract: "List the drivers for arms in other languages, or print one.",
        discussion: "An arm with 'driver: python' uses the driver python. To measure your own "
            + "code, save the file of a driver, change it, and use it with 'driver: {command: …}'."
    )

    @Argument(
        help: "The driver whose file to print.",
        completion: .list(BuiltInDriver.all.map(\.name))
    )
    var driver: String?

    func run() throws {
        guard let driver else {
            for driver in BuiltInDriver.all {
                try StandardOutput.write("\(driver.name): \(driver.summary)\n")
            }
            return
        }
        guard let found = BuiltInDriver.named(driver) else {
            throw CommandFailure(
                "there is no driver '\(driver)'"
                    + NearestName.hint(driver, among: BuiltInDriver.all.map(\.name))
            )
        }
        try StandardOutput.write(found.source)
    }
}

/// A driver that performs accesses with this program's libraries.
///
/// A run of this program, or of another version of it, starts this process.
struct DriverSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver",
        abstract: "Perform the accesses of a run of another version of this program.",
        discussion: "An arm with 'driver: {command: old/poolgauge driver}' starts this command. "
            + "Its options 'type', 'library', 'journal', and 'synchronous' are those of an arm."
    )

    func run() throws {
        try DriverServer(
            factory: LibraryTargetFactory(),
            runtime: "poolgauge \(HeadlessRun.version)"
        ).serve()
    }
}
