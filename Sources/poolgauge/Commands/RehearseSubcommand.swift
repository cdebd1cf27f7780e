import ArgumentParser
import Foundation
import Rehearsal
import Reports
import Scenarios
import Text

struct RehearseSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Execute a migration on a copy of your database, and measure what it blocks.",
        discussion: """
            Executes the SQL of a file (also VACUUM, an index, or a purge) on a copy: alone and, with \
            --load, beside the clients of a scenario. Reports the time of each statement, for how \
            long others could not write or read, what the clients noticed, the space that was needed, \
            what remains after an interruption, and the integrity afterwards. The original is only \
            read.

            If statements hold the write lock for longer than --max-hold, also measures a variant that \
            divides them into short transactions, where this is possible.

            The exit status is 3 if a limit that you specify is missed or the space does not suffice.
            """
    )

    @Argument(help: "The file with the migration's SQL.", completion: .file(extensions: ["sql"]))
    var migration: String

    @Option(help: "Your database; the rehearsal uses copies of it.", completion: .file())
    var database: String

    @Option(
        help: ArgumentHelp(
            "The scenario whose clients use the copy meanwhile, such as the result of 'capture'.",
            valueName: "scenario"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var load: String?

    @Option(help: "The arm of the scenario; by default, the first one.")
    var arm: String?

    @Option(
        help: """
            The longest time that others may be unable to write. Without this option, it is no limit, \
            and batches aim at 50ms.
            """,
        transform: TimeArgument.parse
    )
    var maxHold: TimeArgument?

    @Option(
        help: "The longest time that others may be unable to read.",
        transform: TimeArgument.parse
    )
    var maxReadBlock: TimeArgument?

    @Option(help: "The longest time that the migration may take.", transform: TimeArgument.parse)
    var maxDuration: TimeArgument?

    @Option(
        help: "How long the migration waits for a lock; 5s by default.",
        transform: TimeArgument.parse
    )
    var busyTimeout: TimeArgument?

    @Option(
        help: "How long to measure the load before and after the migration; 5s by default.",
        transform: TimeArgument.parse
    )
    var margin: TimeArgument?

    @Option(
        help: "The folder for the copies; by default, that of the database.",
        completion: .directory
    )
    var copies: String?

    @Flag(help: "Do not measure what remains after an interruption, which needs two more copies.")
    var skipInterruption = false

    @Flag(help: "Do not measure a variant in batches.")
    var skipBatches = false

    @Option(
        help: "The file for a program in Python that executes the batches.",
        completion: .file(extensions: ["py"])
    )
    var writeBatched: String?

    @OptionGroup var report: ReportOptions<RehearsalFormat>

    func validate() throws {
        guard load != nil || arm == nil && margin == nil else {
            throw ValidationError("--\(arm == nil ? "margin" : "arm") requires --load")
        }
        guard writeBatched == nil || !skipBatches else {
            throw ValidationError("--write-batched and --skip-batches exclude each other")
        }
        try DistinctFiles.check(
            outputs: [
                .init("--output", report.output), .init("--write-batched", writeBatched),
            ],
            inputs: [
                .init("the migration", migration), .init("--database", database),
                .scenario(load),
            ]
        )
    }

    func run() throws {
        #if !os(Linux)
        throw CommandFailure("'rehearse' needs Linux, whose kernel reports the locks of a process")
        #else
        try rehearse()
        #endif
    }

    private func rehearse() throws {
        var rehearsal = RehearsalRun(
            script: try script(),
            database: database,
            migration: migration,
            load: try loadSource()
        )
        rehearsal.copyFolder = copies
        if let busyTimeout { rehearsal.busyTimeout = busyTimeout.duration }
        if let maxHold { rehearsal.maximumHold = maxHold.duration }
        if let margin { rehearsal.margin = margin.duration }
        rehearsal.interrupts = !skipInterruption
        rehearsal.proposesBatches = !skipBatches
        rehearsal.progress = report.progress
        rehearsal.batchedScript = try writeBatched.map {
            try ReportDestination(path: $0, option: "--write-batched")
        }
        rehearsal.batchedScriptName = writeBatched
        let destination = try report.destination()
        var (result, signal) = try rehearsal.run()
        func nanoseconds(_ time: TimeArgument?) -> UInt64? {
            time.map { UInt64(max(0, $0.duration / .nanoseconds(1))) }
        }
        result.decide(
            maximumHold: nanoseconds(maxHold),
            maximumBlock: nanoseconds(maxReadBlock),
            maximumTime: nanoseconds(maxDuration)
        )
        if let signal { result.status = 128 + signal }
        // If nothing was measured, keep the existing report file.
        guard result.alone != nil || result.underLoad != nil else {
            StandardError.write(
                "poolgauge: the rehearsal was interrupted; the original is unchanged\n"
            )
            throw ExitCode(result.status)
        }
        try destination.write(report.format.report(on: result))
        throw ExitCode(result.status)
    }

    private func script() throws -> MigrationScript {
        guard let text = try TextFile.read(migration) else {
            throw CommandFailure("there is no file '\(migration)'; check the path of the migration")
        }
        do throws(MigrationScript.Problem) {
            return try MigrationScript(text)
        } catch {
            throw CommandFailure("\(migration): \(error.description)")
        }
    }

    private func loadSource() throws -> RehearsalRun.LoadSource? {
        guard let load else { return nil }
        let scenario = try Scenario.load(nameOrPath: load)
        // Presets work only with their own data.
        _ = try DatabaseFile.url(database, for: load)
        guard let arm = try scenario.arms(named: arm.map { [$0] } ?? []).first else {
            throw CommandFailure("--load: '\(load)' has no arm")
        }
        guard [.queue, .pool].contains(arm.kind) else {
            throw CommandFailure(
                "--load: arm '\(arm.name)' has kind: \(arm.kind.rawValue), whose clients do not use "
                    + "the file; choose another one with --arm"
            )
        }
        return .init(scenario: scenario, arm: arm)
    }
}

/// The formats of rehearsals.
enum RehearsalFormat: String, ReportFormatArgument {
    case text
    case json
    case junit

    func report(on result: RehearsalReport) throws -> String {
        switch self {
        case .text: result.text
        case .json: Escaping.encodedJSON(try JSONReport.text(of: result), keepingNewlines: true)
        case .junit: result.junit
        }
    }
}
