import CursesTerminal
import Dashboard
import PoolgaugeAgent
import TerminalUI

/// The dashboard for a program with an agent.
struct AgentDisplay: DisplayContent {
    private let terminal: any Terminal
    private let feed: AgentFeed
    private let control: AgentControl
    private let recording: DisplayRecording
    private var model: DashboardModel
    /// The arrival time of the first sample.
    private var firstSampleTime: UInt64?

    init(
        feed: AgentFeed,
        model: DashboardModel,
        recording: DisplayRecording,
        terminal: any Terminal
    ) {
        self.feed = feed
        self.recording = recording
        control = AgentControl { feed.path }
        self.model = model
        self.terminal = terminal
    }

    var refreshRate: Double { model.refreshRate }

    var isPaused: Bool { model.isPaused }

    var isOver: Bool { false }

    func age(at now: UInt64) -> UInt64? { firstSampleTime.map { now - min(now, $0) } }

    mutating func collect() {
        model.show(recording)
        for sample in feed.take() {
            model.ingest(sample)
            if firstSampleTime == nil { firstSampleTime = MonotonicTime.now }
        }
        for outcome in control.takeOutcomes() {
            model.note(outcome.message, severity: outcome.severity)
        }
    }

    mutating func setDisplayCost(_ share: Double?) { model.displayCPUShare = share }

    mutating func handle(_ event: InputEvent) -> Bool {
        for action in model.handle(event) {
            switch action {
            case .quit: return false
            case .interrupt: control.interrupt()
            case .checkpoint: control.checkpoint()
            case .toggleRecording: recording.toggle()
            case .copy(let text):
                if !terminal.copy(text) {
                    model.note("this terminal does not allow clipboard access", severity: .warning)
                }
            // The model requests no other actions for the dashboard of a program.
            default: break
            }
        }
        return true
    }

    func render(size: Size) -> Surface { model.render(size: size) }

    mutating func suspend(_ terminal: any Terminal) {
        terminal.suspend()
        noteContinued()
    }

    mutating func noteContinued() {
        model.note("no data was collected while poolgauge was suspended", severity: .warning)
    }

    mutating func end() { feed.end() }
}
