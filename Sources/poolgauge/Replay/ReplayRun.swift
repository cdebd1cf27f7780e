import CursesTerminal
import Dashboard
import Recording
import SQLiteWatch
import TerminalUI
import Text

/// A replay of a recording in the dashboard.
struct ReplayRun {
    let reader: RecordingReader
    let options: DisplayOptions
    var searches = ReplaySearches()
    /// The initial position, or `nil` for the start.
    var position: RecordingMoment?
    var speed = 1.0
    var isPlaying = true

    func run() throws {
        do {
            try DisplaySession(options: options).run(content, report: { _ in })
        } catch let error as TerminalError {
            throw CommandFailure(error.text(alternative: "poolgauge report \(reader.path)"))
        }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        try DisplaySession(options: options).picture(size: size, content)
    }

    private func content(
        _ terminal: any Terminal,
        _ glyphs: DisplaySession.Glyphs
    ) throws -> ReplayDisplay {
        var contents = reader.contents
        let omittedSessionCount = contents.keepNewestKind()
        guard let first = contents.start, let last = contents.end,
            let kind = contents.rows.last.flatMap({ contents.session(of: $0)?.kind })
        else {
            throw CommandFailure(
                reader.contents.messageWithoutSamples(path: reader.path),
                status: 1
            )
        }
        var clock = ReplayClock(range: first...last, isPlaying: isPlaying)
        clock.setSpeed(speed)
        if let position { clock.seek(to: position.milliseconds(from: first, to: last)) }
        var controls = ReplayControls(clock: clock)
        if let problem = contents.problems.first {
            controls.message = (Escaping.terminal(problem), true)
        } else if omittedSessionCount > 0 {
            let count = HumanUnits.counted(omittedSessionCount, "session", "sessions")
            controls.message = ("not shown: \(count) of another kind in this recording", false)
        }
        return ReplayDisplay(
            reader: reader,
            contents: contents,
            controls: controls,
            searches: searches,
            model: try model(for: kind, contents, glyphs),
            liveKeys: try DashboardKeys(changing: options.keyChanges),
            terminal: terminal
        )
    }

    private func model(
        for kind: RecordedKind,
        _ contents: RecordingContents,
        _ glyphs: DisplaySession.Glyphs
    ) throws -> ReplayModel {
        switch kind {
        case .run, .agent:
            var model = DashboardModel(
                theme: options.theme,
                themes: options.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: try DashboardKeys(changing: options.keyChanges).forReplay,
                refreshRate: options.refreshRate
            )
            model.replayKeys = .standard
            return .run(model)
        case .watch:
            let screens = hasStatements(contents) ? WatchScreens.traced : WatchScreens.standard
            let keys = try WatchKeys(screens: screens, changing: options.keyChanges)
            var model = WatchDashboard(
                screens: screens,
                theme: options.theme,
                themes: options.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: keys.forReplay,
                refreshRate: options.refreshRate,
                placeholder: "There is no intact sample before this moment."
            )
            model.replayKeys = .standard
            if Set(contents.rows.suffix(100).map(\.source)).count > 1 { model.showDatabases() }
            return .watch(model)
        }
    }

    /// Returns whether the recorded reports contain SQL.
    private func hasStatements(_ contents: RecordingContents) -> Bool {
        for row in contents.rows.suffix(10) {
            if case .watch(let report)? = try? reader.value(of: row) {
                return report.tracing != nil
            }
        }
        return false
    }
}
