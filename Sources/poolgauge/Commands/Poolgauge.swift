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

            Exit status: \(exitStatuses.map { "\($0.status) \($0.meaning)" }.joined(separator: "; ")).
            """,
        version: version,
        subcommands: [
            RunSubcommand.self, TrySubcommand.self, CompareSubcommand.self,
            CapacitySubcommand.self,
            CrossoverSubcommand.self, WhatIfSubcommand.self, AdviseSubcommand.self,
            DashboardSubcommand.self,
            TopSubcommand.self, CaptureSubcommand.self,
            ScenariosSubcommand.self, ThemesSubcommand.self, ConfigSubcommand.self,
            ServeSubcommand.self, WatchHelperSubcommand.self,
            SQLCalibrationSubcommand.self, TraceGuardianSubcommand.self,
            StatementPlanSubcommand.self,
            DoctorSubcommand.self, ManualSubcommand.self,
        ]
    )

    /// The exit statuses, with what each says.
    static let exitStatuses = [
        (status: "0", meaning: "passed"),
        (
            status: "1",
            meaning: "the run failed, more than 5 % of a client's accesses did and no threshold "
                + "allows it, or a client had no success"
        ),
        (status: "2", meaning: "a comparison found a regression"),
        (status: "3", meaning: "a threshold was missed, or top --watch-for timed out"),
        (status: "4", meaning: "an invariant was violated"),
        (status: "5", meaning: "the run is invalid: the generator was the bottleneck"),
        (
            status: "6",
            meaning: "undecided: a threshold has too few samples; the report states the duration "
                + "that decides it"
        ),
        (status: "64", meaning: "wrong arguments, or a scenario with mistakes"),
        (
            status: "130, 143, 129 or 131",
            meaning: "ended by INT, TERM, HUP or QUIT; the partial result is written"
        ),
        (status: "141", meaning: "whoever read the output closed it"),
    ]

    /// The variables that it looks at, with what each changes.
    static let variables = [
        (name: "TMPDIR", meaning: "the folder in which databases are made"),
        (name: "TERM", meaning: "the terminal that the dashboard draws on"),
        (name: "COLORTERM", meaning: "truecolor or 24bit where the terminal has all colours"),
        (name: "NO_COLOR", meaning: "the dashboard has no colours when this is not empty"),
        (name: "LC_ALL, LC_CTYPE, LANG", meaning: "whether the dashboard may draw with UTF-8"),
    ]

    func run() throws {
        try TemporaryFolder.check()
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
