import ArgumentParser
import WorkloadEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The command.
struct Poolgauge: ParsableCommand {
    /// The version of the command and its libraries.
    static let version = "0.1.0"

    /// What runs when nobody says what.
    static let demo = "reads-during-import"

    static let configuration = CommandConfiguration(
        commandName: "poolgauge",
        abstract: "Load, watch and compare SQLite connections.",
        discussion: """
            Without a subcommand: the dashboard over \(demo) in a terminal, or a short run of it \
            with a text report where there is none.

            Exit status: 0 passed, 1 the run failed, 3 a threshold was missed, 4 an invariant was \
            violated, 5 the run is invalid, 64 wrong arguments or a scenario with mistakes, 130, \
            143 or 129 ended by INT, TERM or HUP, 141 whoever read the output closed it.
            """,
        version: version,
        subcommands: [
            RunSubcommand.self, CompareSubcommand.self, DashboardSubcommand.self,
            ScenariosSubcommand.self, ThemesSubcommand.self, ConfigSubcommand.self,
        ]
    )

    func run() throws {
        let scenario = try Scenario.load(nameOrPath: Self.demo)
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            var options = try LiveOptions()
            options.goesOn = true
            try LiveSession(scenario: scenario, options: options).run()
        } else {
            let report = HeadlessRun(
                scenario: try scenario.scaled(toMeasured: .seconds(3)),
                arms: scenario.arms
            )
            try report.run(format: .text, to: ReportDestination(path: nil))
        }
    }
}
