import Dashboard
import Dispatch
import Foundation
import PoolgaugeAgent
import Synchronization
import Telemetry
import Text

/// A converter from an agent's statuses to dashboard samples, including events for its restarts.
struct AgentSampler {
    private let start: UInt64
    private var sequence = 0
    private var last: AgentStatus?
    private var isLost = false
    private var events: [TelemetryEvent] = []

    /// Creates a sampler for a display.
    ///
    /// `start` is the start time of the display on the monotonic clock, in nanoseconds.
    init(start: UInt64) { self.start = start }

    /// Processes the events of one request, and returns a sample, or `nil` if the agent has not
    /// responded yet.
    mutating func sample(_ received: [AgentFollower.Event], at now: UInt64) -> Sample? {
        let time = Double(now - min(now, start)) / 1e9
        for event in received {
            switch event {
            case .status(let status, let previous):
                (last, isLost) = (status, false)
                return connected(status, since: previous, at: time)
            case .lost(let reason):
                isLost = true
                note("connection lost: \(reason)", severity: .error, at: time)
            case .reconnected(let process, let gap):
                let length = HumanUnits.duration(nanoseconds: gap)
                note(
                    "reconnected to PID \(process) after a gap of \(length)",
                    severity: .warning,
                    at: time
                )
            }
        }
        guard isLost, let last else { return nil }
        var unknownStatus = last
        unknownStatus.database = DatabaseStatus(
            label: last.database.label,
            kind: last.database.kind,
            path: last.database.path,
            journalMode: last.database.journalMode
        )
        unknownStatus.database.readers = last.database.readers.map {
            ReaderPoolStatus(inUse: 0, open: 0, maximum: $0.maximum)
        }
        var sample = Sample(unknownStatus, since: nil, sequence: sequence, time: time)
        sample.program?.isConnected = false
        return finished(sample)
    }

    private mutating func note(
        _ message: String,
        severity: TelemetryEvent.Severity,
        at time: Double
    ) {
        events.append(TelemetryEvent(time: time, severity: severity, message: message))
    }

    private mutating func connected(
        _ status: AgentStatus,
        since previous: AgentStatus?,
        at time: Double
    ) -> Sample {
        if let previousDatabase = previous?.database {
            let database = status.database
            note(
                countOf: database.busyCount,
                since: previousDatabase.busyCount,
                "lock conflict",
                at: time
            )
            if let now = database.interrupts, let old = previousDatabase.interrupts {
                let name = "interrupted statement"
                note(countOf: now.delivered, since: old.delivered, name, at: time)
            }
        }
        return finished(Sample(status, since: previous, sequence: sequence, time: time))
    }

    /// Returns the sample with the events since the last sample.
    private mutating func finished(_ sample: Sample) -> Sample {
        defer {
            sequence += 1
            events = []
        }
        var sample = sample
        sample.events = events
        return sample
    }

    private mutating func note(
        countOf now: UInt64,
        since previous: UInt64,
        _ name: String,
        at time: Double
    ) {
        guard now > previous else { return }
        note(
            HumanUnits.counted(Int(clamping: now - previous), name, name + "s"),
            severity: .warning,
            at: time
        )
    }
}

/// A feed of samples for a display, which requests an agent's status on a separate thread.
final class AgentFeed: Sendable {
    private struct State {
        /// The newest samples, because a display whose terminal is stopped (`^S`) takes none.
        var samples = RingBuffer<Sample>(capacity: DashboardModel.capacity)
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
            var sampler = AgentSampler(start: monotonicNanoseconds())
            while !state.withLock({ $0.isStopped }) {
                let events = agent.poll()
                for event in events {
                    onStatus.map { event.report(to: $0) }
                    recording.recorder?.record(event, of: agent.socket.name)
                }
                let sample = sampler.sample(events, at: monotonicNanoseconds())
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
            defer { state.samples.removeAll() }
            return state.samples.elements
        }
    }

    /// Ends the thread, and waits up to three seconds for a request that is in progress.
    func end() {
        state.withLock { $0.isStopped = true }
        stopSignal.signal()
        _ = threadEnd.wait(timeout: .now() + .seconds(3))
    }
}
