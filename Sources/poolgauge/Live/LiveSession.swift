import CursesTerminal
import Dashboard
import TerminalUI
import WorkloadEngine

/// A session that runs a scenario in the dashboard, and then removes the run's files.
struct LiveSession {
    let scenario: Scenario
    let options: LiveOptions
    /// The recording that receives the samples.
    let recording: DisplayRecording

    /// Shows the dashboard in the process's terminal and reports on each arm.
    func run() throws {
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let keys = try DashboardKeys(changing: options.display.keyChanges)
        var failure: (any Error)?
        try DisplaySession(options: options.display).run { terminal, glyphs in
            content(on: terminal, glyphs, keys, datasets)
        } report: { content in
            try report(content)
            failure = content.failure
        }
        if let failure { throw failure }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let keys = try DashboardKeys(changing: options.display.keyChanges)
        return try DisplaySession(options: options.display).picture(size: size) {
            content(on: $0, $1, keys, datasets)
        }
    }

    private func content(
        on terminal: any Terminal,
        _ glyphs: DisplaySession.Glyphs,
        _ keys: DashboardKeys,
        _ datasets: DatasetStore
    ) -> RunDisplay {
        RunDisplay(
            scenario: scenario,
            options: options,
            model: DashboardModel(
                theme: options.display.theme,
                themes: options.display.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: keys,
                refreshRate: options.display.refreshRate
            ),
            datasets: datasets,
            recording: recording,
            terminal: terminal
        )
    }

    private func report(_ content: RunDisplay) throws {
        if let destination = options.report {
            let result = RunResult(
                scenario: content.scenario,
                environment: HostEnvironment(
                    in: RunOptions().folder,
                    scenario: content.scenario,
                    versions: HeadlessRun.versions
                ),
                runs: content.results
            )
            try destination.write(options.format.report(on: result))
        }
        for verdict in content.verdicts { try StandardOutput.write(verdict + "\n") }
    }
}
