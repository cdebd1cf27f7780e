import ArgumentParser
import CursesTerminal
import Dashboard
import Dispatch
import Foundation
import PoolgaugeAgent
import Recording
import SQLiteWatch
import TerminalUI
import Text

/// A run of `poolgauge attach --follow`, which writes one line for each event of an agent.
struct AttachRun {
    var format = PlainFormat.text
    var interval = Duration.seconds(1)
    /// The time to follow the agent, or `nil` to follow it until a signal arrives.
    var duration: Duration?
    /// A closure that receives each status, and `nil` when the agent stops responding.
    var onStatus: ((AgentStatus?) -> Void)?

    /// The recorder for the statuses, if any.
    var recorder: FlightRecorder?
    /// Whether to write nothing to standard output.
    var isSilent = false

    private let agent: FollowedAgent

    init(_ agent: FollowedAgent) { self.agent = agent }

    func run() throws {
        let stopSignal = DispatchSemaphore(value: 0)
        let interruption = Interruption { stopSignal.signal() }
        let end = duration.map { ContinuousClock.now + $0 }
        var nextRequest = ContinuousClock.now
        var agent = agent
        while true {
            for event in agent.poll() {
                onStatus.map { event.report(to: $0) }
                recorder?.record(event, of: agent.socket.name)
                if !isSilent { try write(event) }
            }
            if isSilent, recorder?.failure != nil { break }
            // Skip the requests that were due during a delay.
            nextRequest = max(nextRequest + interval, ContinuousClock.now)
            if let end, nextRequest > end { break }
            let pause = max(.zero, nextRequest - ContinuousClock.now).components
            let nanoseconds = pause.seconds * 1_000_000_000 + pause.attoseconds / 1_000_000_000
            let timeout = DispatchTime.now() + .nanoseconds(Int(nanoseconds))
            if stopSignal.wait(timeout: timeout) == .success { break }
        }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }

    private func write(_ event: AgentFollower.Event) throws {
        let line: String
        switch format {
        case .text:
            line = "\(Self.clockTime())  " + Escaping.terminal(Self.text(of: event))
        case .json:
            if case .status(let status, _) = event {
                line = try Self.json(of: status)
            } else {
                line = try Self.json(of: Change(event))
            }
        }
        try StandardOutput.write(line + "\n")
    }

    private static func json(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(value), as: UTF8.self)
        return Escaping.encodedJSON(json, keepingNewlines: false)
    }

    /// An event other than a status, as JSON.
    private struct Change: Encodable {
        let schema = "poolgauge.agent-change/1"
        var event: String
        var reason: String?
        var process: Int32?
        var gapNanoseconds: UInt64?

        init(_ event: AgentFollower.Event) {
            switch event {
            case .status: self.event = "status"
            case .lost(let reason):
                self.event = "lost"
                self.reason = reason
            case .reconnected(let process, let gap):
                self.event = "reconnected"
                self.process = process
                gapNanoseconds = gap
            }
        }
    }

    static func text(of event: AgentFollower.Event) -> String {
        switch event {
        case .status(let status, let last): AgentText(status).line(since: last)
        case .lost(let reason): "connection lost: \(reason); waiting for the agent"
        case .reconnected(let process, let gap):
            "reconnected to PID \(process) after a gap of "
                + HumanUnits.duration(nanoseconds: gap)
        }
    }

    private static func clockTime() -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { number in
            (number < 10 ? "0" : "") + String(number)
        }.joined(separator: ":")
    }
}

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
                content(terminal, glyphs: glyphs, keys: keys)
            } report: { _ in
            }
        } catch let error as TerminalError {
            throw CommandFailure(error.text(alternative: "poolgauge attach --once AGENT"))
        }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        let keys = try DashboardKeys(changing: options.keyChanges)
        return try DisplaySession(options: options).picture(size: size) {
            content($0, glyphs: $1, keys: keys)
        }
    }

    private func content(
        _ terminal: any Terminal,
        glyphs: DisplaySession.Glyphs,
        keys: DashboardKeys
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
