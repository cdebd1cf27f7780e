import ArgumentParser
import CursesTerminal
import Dashboard
import Foundation
import TerminalUI
import WorkloadEngine

/// How the dashboard is shown.
struct LiveOptions {
    /// The arm that runs first; the scenario's first by default.
    var arm: String?
    /// Whether the next arm follows by itself when one has run to its end.
    var goesOn = false
    var theme = Theme.standard
    /// nil for what the locale's encoding can show.
    var glyphs: GlyphSet?
    /// Keys that are pressed without a person.
    var keys: [Key] = []
    /// When the first of them is pressed, in nanoseconds since the load began.
    var keysStart: UInt64 = 1_000_000_000
    /// Whether a picture ends it.
    var takesPicture = false
}

/// The dashboard, from its first frame to the last file that has to go.
struct LiveSession {
    let scenario: Scenario
    let options: LiveOptions

    /// Shows the dashboard on the process's terminal.
    func run() throws {
        let terminal = try CursesTerminal(environment: ProcessInfo.processInfo.environment)
        let glyphs = options.glyphs ?? (TextEncoding.isUTF8() ? .braille : .ascii)
        let datasets = DatasetStore()
        defer { datasets.remove() }
        var loop = loop(on: terminal, glyphs: glyphs, datasets: datasets)
        let end = loop.show()
        terminal.close()
        loop.end()
        for verdict in loop.verdicts { try StandardOutput.write(verdict + "\n") }
        if case .signal(let signal) = end { throw ExitCode(128 + signal) }
        if let failure = loop.failure { throw failure }
    }

    /// Shows the dashboard on a surface alone, and gives its last picture.
    func picture(size: Size) throws -> Surface {
        let terminal = SurfaceTerminal(size: size)
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let interruption = Interruption(terminal.interrupt)
        var loop = loop(on: terminal, glyphs: options.glyphs ?? .braille, datasets: datasets)
        let end = loop.show()
        loop.end()
        if case .signal = end, let signal = interruption.signal { throw ExitCode(128 + signal) }
        return terminal.surface
    }

    private func loop(
        on terminal: any Terminal,
        glyphs: GlyphSet,
        datasets: DatasetStore
    ) -> LiveLoop {
        LiveLoop(
            scenario: scenario,
            options: options,
            model: DashboardModel(theme: options.theme, glyphs: glyphs),
            datasets: datasets,
            terminal: terminal
        )
    }
}
