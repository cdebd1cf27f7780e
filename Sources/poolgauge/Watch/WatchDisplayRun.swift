import CursesTerminal
import Dashboard
import Findings
import SQLTrace
import SQLiteWatch
import TerminalUI

struct WatchDisplayRun {
    let source: WatchSource
    let options: DisplayOptions
    /// The recording that receives the reports.
    let recording: DisplayRecording
    var interval = Self.standardInterval

    /// The options for tracing SQL, or `nil` to disable tracing.
    var sql: SQLTraceOptions?

    /// A closure that receives the reports of each interval.
    var onReports: (@Sendable ([WatchReport]) -> Void)?

    /// The default time between two reports.
    static let standardInterval = Duration.milliseconds(250)

    func run() throws {
        let keys = try keys
        do {
            try DisplaySession(options: options).run { terminal, glyphs in
                try content(terminal, glyphs, keys)
            } report: { _ in
            }
        } catch let error as TerminalError {
            throw CommandFailure(error.text(alternative: "poolgauge top --once"))
        }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        let keys = try keys
        return try DisplaySession(options: options).picture(size: size) {
            try content($0, $1, keys)
        }
    }

    private var screens: [any WatchScreen.Type] {
        sql == nil ? WatchScreens.standard : WatchScreens.traced
    }

    private var keys: WatchKeys {
        get throws {
            try WatchKeys(screens: screens, changing: options.keyChanges)
        }
    }

    private func content(
        _ terminal: any Terminal,
        _ glyphs: DisplaySession.Glyphs,
        _ keys: WatchKeys
    ) throws -> WatchDisplay {
        let feed = try WatchFeed(
            source: source,
            interval: interval,
            sql: sql,
            onReports: onReports,
            recorder: { [recording] in recording.recorder }
        )
        var model = WatchDashboard(
            screens: screens,
            theme: options.theme,
            themes: options.themes,
            glyphs: glyphs.first,
            glyphChoices: glyphs.choices,
            keys: keys,
            refreshRate: options.refreshRate
        )
        if !feed.hasFoundDatabases { model.placeholder = source.placeholder }
        if !source.isOneFile { model.showDatabases() }
        return WatchDisplay(feed: feed, model: model, recording: recording, terminal: terminal)
    }
}
