import ArgumentParser
import CSQLite
import GRDBTarget
import Rehearsal
import SQLTrace
import SQLiteWatch
import Text
import WorkloadEngine

/// A process that reads files of other programs, and determines the memory layout of a library by
/// loading a copy of it.
///
/// `poolgauge top --sql` starts this process.
struct SQLCalibrationSubcommand: ParsableCommand {
    static let name = "sql-calibration"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Examine the files from descriptor 3 on, without privileges.",
        shouldDisplay: false
    )

    @Argument(parsing: .captureForPassthrough, help: "The task.")
    var arguments: [String] = []

    func run() throws { SQLCalibration.run(arguments) }
}

/// A process that plans the statements of traced programs.
///
/// `poolgauge top --sql` starts this process.
struct StatementPlanSubcommand: ParsableCommand {
    static let name = "statement-plans"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Plan statements in a private empty database with the schema of a file.",
        shouldDisplay: false
    )

    func run() throws { StatementPlanning.run() }
}

/// A process that makes programs wait until they have probes.
///
/// `poolgauge top --sql` starts this process.
struct OpenGateSubcommand: ParsableCommand {
    static let name = "sql-open-gate"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Report the programs that open files to the socket on descriptor 0.",
        shouldDisplay: false
    )

    func run() throws { OpenGate.run() }
}

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

/// A process that executes the migration of a rehearsal.
///
/// `poolgauge rehearse` starts this process.
struct RehearsalWorkerSubcommand: ParsableCommand {
    static let name = "rehearsal-worker"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Perform the task on standard input on a copy of a database.",
        shouldDisplay: false
    )

    func run() throws { MigrationWorker.run() }
}
