import CursesTerminal
import Dashboard
import Findings
import SQLTrace
import SQLiteWatch
import Telemetry
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
                try content(terminal, glyphs: glyphs, keys: keys)
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
            try content($0, glyphs: $1, keys: keys)
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
        glyphs: DisplaySession.Glyphs,
        keys: WatchKeys
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

struct WatchDisplay: DisplayContent {
    private let terminal: any Terminal
    private let feed: WatchFeed
    private let recording: DisplayRecording
    private var model: WatchDashboard
    /// The arrival time of the first reports.
    private var firstReportTime: UInt64?
    private let start = monotonicNanoseconds()

    /// The maximum time that the `--press` keys wait for the first report, in nanoseconds.
    private static let keyDelay: UInt64 = 2_000_000_000

    init(
        feed: WatchFeed,
        model: WatchDashboard,
        recording: DisplayRecording,
        terminal: any Terminal
    ) {
        self.feed = feed
        self.recording = recording
        self.model = model
        self.terminal = terminal
    }

    var refreshRate: Double { model.refreshRate }

    var isPaused: Bool { model.isPaused }

    var isOver: Bool { false }

    func age(at now: UInt64) -> UInt64? {
        if let firstReportTime { return now - min(now, firstReportTime) }
        let end = start + Self.keyDelay
        return now > end ? now - end : nil
    }

    mutating func collect() {
        let batch = feed.take()
        for note in recording.takeNotes() { model.note(note.text, isWarning: note.isWarning) }
        model.isRecording = recording.isRecording
        for reports in batch.reports { model.ingest(reports) }
        if let notes = batch.notes { model.notes = notes }
        if firstReportTime == nil, !batch.reports.isEmpty {
            firstReportTime = monotonicNanoseconds()
        }
    }

    /// Does nothing, because reports contain the cost of the whole process.
    mutating func setDisplayCost(_ share: Double?) {}

    mutating func handle(_ event: InputEvent) -> Bool {
        for action in model.handle(event) {
            switch action {
            case .quit: return false
            case .toggleRecording: recording.toggle()
            case .copy(let text):
                if !terminal.copy(text) {
                    model.note("this terminal does not allow clipboard access", isWarning: true)
                }
            }
        }
        return true
    }

    func render(size: Size) -> Surface { model.render(size: size) }

    mutating func suspend(_ terminal: any Terminal) {
        terminal.suspend()
        model.note("no data was collected while the program was suspended", isWarning: true)
    }

    mutating func noteContinued() {
        model.note("no data was collected while the program was suspended", isWarning: true)
    }

    mutating func end() { feed.end() }
}
