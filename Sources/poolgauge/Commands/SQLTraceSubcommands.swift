import ArgumentParser
import SQLTrace

/// A process that determines the memory layout of another program's library by loading a copy of
/// the library.
///
/// `poolgauge top --sql` starts this process.
struct SQLCalibrationSubcommand: ParsableCommand {
    static let name = "sql-calibration"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Find the layout of the library on descriptor 3, without privileges.",
        shouldDisplay: false
    )

    @Flag(help: "Measure the overhead of probes instead.")
    var cost = false

    func run() throws { SQLCalibration.run(measuresCost: cost) }
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
