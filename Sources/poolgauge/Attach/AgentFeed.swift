import Dispatch
import Foundation
import PoolgaugeAgent
import Synchronization
import Telemetry

/// A feed of samples for a display, which requests an agent's status on a separate thread.
final class AgentFeed: Sendable {
    private struct State {
        var samples: [Sample] = []
        var path: String
        var isStopped = false
    }

    private let state: Mutex<State>
    private let recording: DisplayRecording
    private let threadEnd = DispatchSemaphore(value: 0)
    private let stopSignal = DispatchSemaphore(value: 0)

    /// Starts requesting statuses at an interval.
    ///
    /// `onStatus` receives each status, and `nil` when the agent stops responding.
    init(
        _ agent: FollowedAgent,
        interval: Duration,
        onStatus: (@Sendable (AgentStatus?) -> Void)? = nil,
        recording: DisplayRecording
    ) {
        self.recording = recording
        state = Mutex(State(path: agent.socket.path))
        let parts = interval.components
        let pause = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
        let thread = Thread { [self] in
            defer { threadEnd.signal() }
            var agent = agent
            var sampler = AgentSampler(start: MonotonicTime.now)
            while !state.withLock({ $0.isStopped }) {
                let events = agent.poll()
                for event in events {
                    onStatus.map { event.report(to: $0) }
                    recording.recorder?.record(event, of: agent.socket.name)
                }
                let sample = sampler.sample(events, at: MonotonicTime.now)
                state.withLock { state in
                    state.path = agent.socket.path
                    if let sample { state.samples.append(sample) }
                }
                if stopSignal.wait(timeout: .now() + pause) == .success { return }
            }
        }
        thread.name = "attach"
        thread.start()
    }

    /// The path of the agent's current socket.
    var path: String { state.withLock { $0.path } }

    /// Returns the samples since the last call.
    func take() -> [Sample] {
        state.withLock { state in
            defer { state.samples = [] }
            return state.samples
        }
    }

    /// Ends the thread, and waits up to three seconds for a request that is in progress.
    func end() {
        state.withLock { $0.isStopped = true }
        stopSignal.signal()
        _ = threadEnd.wait(timeout: .now() + .seconds(3))
    }
}
