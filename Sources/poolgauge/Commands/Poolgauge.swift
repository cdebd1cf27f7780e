import ArgumentParser
import Recording
import Scenarios

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct Poolgauge: ParsableCommand {
    static let version = HeadlessRun.version

    static let demo = "reads-during-import"

    static let configuration = CommandConfiguration(
        commandName: "poolgauge",
        abstract: "Load-test, watch, and compare SQLite connections.",
        discussion: """
            Without a subcommand, runs the scenario \(demo) in a dashboard. If there is no \
            terminal, runs it briefly and prints a text report.

            --generate-completion-script bash, zsh, or fish prints the completions for a shell.

            Exit status:
            \(HelpList.text(exitStatuses))
            """,
        version: version,
        subcommands: [
            RunSubcommand.self, TrySubcommand.self, CompareSubcommand.self,
            CapacitySubcommand.self,
            AdviseSubcommand.self, DashboardSubcommand.self,
            TopSubcommand.self, AttachSubcommand.self, ExportSubcommand.self,
            CaptureSubcommand.self, CheckSubcommand.self, RehearseSubcommand.self,
            RecordSubcommand.self, ReportSubcommand.self, ReplaySubcommand.self,
            ScenariosSubcommand.self, DriversSubcommand.self, DriverSubcommand.self,
            ThemesSubcommand.self, ConfigSubcommand.self,
            ServeSubcommand.self, WatchHelperSubcommand.self,
            SQLCalibrationSubcommand.self,
            StatementPlanSubcommand.self,
            OpenGateSubcommand.self, RehearsalWorkerSubcommand.self,
            DoctorSubcommand.self, ManualSubcommand.self,
        ]
    )

    static let exitStatuses = [
        (term: "0", meaning: "The run passed."),
        (
            term: "1",
            meaning: "The run failed, a client completed no accesses, or more than 5% of a "
                + "client's accesses failed and no threshold allows this."
        ),
        (term: "2", meaning: "A comparison found a regression."),
        (
            term: "3",
            meaning:
                "A threshold or a limit of 'rehearse' was missed, 'top --watch-for' timed out, or "
                + "'check' found something."
        ),
        (term: "4", meaning: "An invariant was violated."),
        (
            term: "5",
            meaning: "The run is invalid, because the load generator was the bottleneck."
        ),
        (
            term: "6",
            meaning: "The result is undecided: a threshold has too few samples (the report shows "
                + "the required duration), or a search exceeded its time limit."
        ),
        (
            term: "7",
            meaning: "The check of a capture differs from the captured load by more than 10%."
        ),
        (term: "64", meaning: "The arguments or the scenario are invalid."),
        (
            term: "130, 143, 129, 131",
            meaning: "The command was ended by SIGINT, SIGTERM, SIGHUP, or SIGQUIT, respectively; "
                + "the partial result was written."
        ),
        (term: "141", meaning: "The reader of the output closed the pipe."),
    ]

    static let variables = [
        (name: "TMPDIR", meaning: "the folder for the databases of runs"),
        (name: "TERM", meaning: "the terminal type, for the dashboard"),
        (name: "COLORTERM", meaning: "truecolor or 24bit if the terminal supports 24-bit color"),
        (name: "NO_COLOR", meaning: "if not empty, the dashboard uses no colors"),
        (
            name: "LC_ALL, LC_CTYPE, LANG",
            meaning: "the locale, which determines whether the dashboard can draw with UTF-8"
        ),
    ]

    func run() throws {
        try TemporaryFolder.check()
        let scenario = try Scenario.load(nameOrPath: Self.demo)
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            var options = try LiveOptions()
            options.startsNextArm = true
            let recording = try DisplayRecording(
                nil,
                RecordingInfo(.run, title: scenario.name, scenario: scenario.source),
                keepsLiterals: false
            )
            defer { recording.finish() }
            try LiveSession(scenario: scenario, options: options, recording: recording).run()
        } else {
            let report = HeadlessRun(
                scenario: try scenario.scaled(toMeasured: .seconds(3)),
                arms: scenario.arms
            )
            do {
                try report.run(format: .text, to: ReportDestination(path: nil))
            } catch let status as ExitCode where status.rawValue < 64 {
                try StandardOutput.write(
                    "\nThis was an example load. To test your database, see: poolgauge try --help\n"
                )
                throw status
            }
        }
    }
}
