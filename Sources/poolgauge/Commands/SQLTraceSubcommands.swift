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

/// A process that removes the probes of `poolgauge top --sql` when that command ends.
///
/// `poolgauge top --sql` starts this process.
struct TraceGuardianSubcommand: ParsableCommand {
    static let name = "trace-guardian"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Remove a session's probes at the end of standard input.",
        shouldDisplay: false
    )

    @Argument(help: "The name of the session's trace instance.")
    var session: String

    func run() throws { TraceGuardian.run(name: session) }
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
