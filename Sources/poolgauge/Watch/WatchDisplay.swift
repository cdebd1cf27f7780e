import CursesTerminal
import Dashboard
import TerminalUI

struct WatchDisplay: DisplayContent {
    private let terminal: any Terminal
    private let feed: WatchFeed
    private let recording: DisplayRecording
    private var model: WatchDashboard
    /// The arrival time of the first reports.
    private var firstReportTime: UInt64?
    private let start = MonotonicTime.now

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
        if firstReportTime == nil, !batch.reports.isEmpty { firstReportTime = MonotonicTime.now }
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
