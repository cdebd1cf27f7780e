import CursesTerminal
import Dashboard
import Dispatch
import Foundation
import PoolgaugeAgent
import Synchronization
import Telemetry
import TerminalUI
import Text

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
            if firstSampleTime == nil { firstSampleTime = monotonicNanoseconds() }
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

/// A client that requests interrupts and checkpoints from an agent without blocking the display.
final class AgentControl: Sendable {
    /// The outcome of a request, for the event list.
    struct Outcome {
        var message: String
        var severity = TelemetryEvent.Severity.info
    }

    private let socketPath: @Sendable () -> String
    private let outcomes = Mutex<[Outcome]>([])
    private let queue = DispatchQueue(label: "poolgauge.attach.control")

    /// The time limit for a request, in nanoseconds.
    ///
    /// A checkpoint waits until the writer is free.
    private static let timeout: UInt64 = 10_000_000_000

    /// Creates a client for the agent whose current socket path `socketPath` returns.
    init(socketPath: @escaping @Sendable () -> String) { self.socketPath = socketPath }

    func interrupt() {
        // No outcome is necessary, because the samples show which statements ended.
        request("/interrupt") { _ in nil }
    }

    func checkpoint() {
        request("/checkpoint") { body in
            guard let result = try? JSONDecoder().decode(Checkpoint.self, from: Data(body)) else {
                return "the checkpoint ended"
            }
            guard let frames = UInt64(exactly: result.frames),
                let copied = UInt64(exactly: result.checkpointed)
            else { return "the database is not in WAL mode" }
            return "the checkpoint copied \(HumanUnits.exact(copied)) of "
                + HumanUnits.exact(frames, "frame")
        }
    }

    /// Returns the outcomes since the last call.
    func takeOutcomes() -> [Outcome] {
        outcomes.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }

    private struct Checkpoint: Decodable {
        var frames: Int64
        var checkpointed: Int64
    }

    private func request(_ target: String, _ describe: @escaping @Sendable ([UInt8]) -> String?) {
        queue.async { [self] in
            var reader = AgentReader(path: socketPath())
            reader.timeout = Self.timeout
            do throws(AgentError) {
                guard let message = describe(try reader.post(target)) else { return }
                outcomes.withLock { $0.append(Outcome(message: message)) }
            } catch {
                let outcome = Outcome(message: error.description, severity: .warning)
                outcomes.withLock { $0.append(outcome) }
            }
        }
    }
}
