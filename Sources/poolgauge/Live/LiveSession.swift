import ArgumentParser
import CursesTerminal
import Dashboard
import Foundation
import TerminalUI
import WorkloadEngine

/// The dashboard, from its first frame to the last file that has to go.
struct LiveSession {
    let scenario: Scenario
    let options: LiveOptions

    /// Shows the dashboard on the process's terminal, and says what came of each arm.
    func run() throws {
        let terminal = try CursesTerminal(
            environment: ProcessInfo.processInfo.environment,
            wantsMouse: options.usesMouse
        )
        let isUTF8 = TextEncoding.isUTF8()
        let model = model(
            glyphs: options.glyphs ?? (isUTF8 ? .braille : .ascii),
            // What the terminal would show as question marks is not offered.
            choices: isUTF8 ? GlyphSet.allCases : [.ascii]
        )
        let datasets = DatasetStore()
        defer { datasets.remove() }
        var loop = loop(on: terminal, model: model, datasets: datasets)
        let end = loop.show()
        terminal.close()
        loop.end()
        if case .signal(let signal) = end {
            // Whoever hung up reads no more; a file is written all the same.
            try? report(loop)
            throw ExitCode(128 + signal)
        }
        try report(loop)
        if let failure = loop.failure { throw failure }
    }

    /// Shows the dashboard on a surface alone, and gives its last picture.
    func picture(size: Size) throws -> Surface {
        let terminal = SurfaceTerminal(size: size)
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let interruption = Interruption(terminal.interrupt)
        let model = model(glyphs: options.glyphs ?? .braille, choices: GlyphSet.allCases)
        var loop = loop(on: terminal, model: model, datasets: datasets)
        let end = loop.show()
        loop.end()
        if case .signal = end, let signal = interruption.signal { throw ExitCode(128 + signal) }
        return terminal.surface
    }

    private func model(glyphs: GlyphSet, choices: [GlyphSet]) -> DashboardModel {
        DashboardModel(
            theme: options.theme,
            themes: options.themes,
            glyphs: glyphs,
            glyphChoices: choices,
            keys: options.keyTable,
            refreshRate: options.refreshRate
        )
    }

    private func loop(
        on terminal: any Terminal,
        model: DashboardModel,
        datasets: DatasetStore
    ) -> LiveLoop {
        LiveLoop(
            scenario: scenario,
            options: options,
            model: model,
            datasets: datasets,
            terminal: terminal
        )
    }

    private func report(_ loop: LiveLoop) throws {
        if let costs = options.costs, let used = loop.cost.total {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try costs.write(String(decoding: encoder.encode(used), as: UTF8.self) + "\n")
        }
        if let destination = options.report {
            let result = RunResult(
                scenario: loop.scenario,
                environment: HostEnvironment(
                    in: RunOptions().folder,
                    scenario: loop.scenario,
                    versions: HeadlessRun.versions
                ),
                runs: loop.results
            )
            try destination.write(options.format.report(on: result))
        }
        for verdict in loop.verdicts { try StandardOutput.write(verdict + "\n") }
    }
}
