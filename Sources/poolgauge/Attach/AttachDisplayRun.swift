import CursesTerminal
import Dashboard
import PoolgaugeAgent
import TerminalUI

/// The dashboard of `poolgauge attach`.
struct AttachDisplayRun {
    let agent: FollowedAgent
    let options: DisplayOptions
    /// The recording that receives the statuses.
    let recording: DisplayRecording
    var interval = Self.standardInterval
    /// A closure that receives each status, and `nil` when the agent stops responding.
    var onStatus: (@Sendable (AgentStatus?) -> Void)?

    /// The default time between two requests.
    static let standardInterval = Duration.milliseconds(250)

    /// Shows the dashboard in the process's terminal.
    func run() throws {
        let keys = try DashboardKeys(changing: options.keyChanges)
        do {
            try DisplaySession(options: options).run { terminal, glyphs in
                content(terminal, glyphs, keys)
            } report: { _ in
            }
        } catch let error as TerminalError {
            throw CommandFailure(error.text(alternative: "poolgauge attach --once AGENT"))
        }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        let keys = try DashboardKeys(changing: options.keyChanges)
        return try DisplaySession(options: options).picture(size: size) { content($0, $1, keys) }
    }

    private func content(
        _ terminal: any Terminal,
        _ glyphs: DisplaySession.Glyphs,
        _ keys: DashboardKeys
    ) -> AgentDisplay {
        AgentDisplay(
            feed: AgentFeed(agent, interval: interval, onStatus: onStatus, recording: recording),
            model: DashboardModel(
                theme: options.theme,
                themes: options.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: keys,
                refreshRate: options.refreshRate
            ),
            recording: recording,
            terminal: terminal
        )
    }
}
