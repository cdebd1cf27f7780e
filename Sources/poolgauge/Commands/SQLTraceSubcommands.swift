import ArgumentParser
import SQLTrace

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
