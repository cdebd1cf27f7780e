import PoolgaugeAgent
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
                return connected(status, since: previous, time)
            case .lost(let reason):
                isLost = true
                note("connection lost: \(reason)", .error, time)
            case .reconnected(let process, let gap):
                let length = HumanUnits.duration(nanoseconds: gap)
                note("reconnected to PID \(process) after a gap of \(length)", .warning, time)
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
        _ severity: TelemetryEvent.Severity,
        _ time: Double
    ) {
        events.append(TelemetryEvent(time: time, severity: severity, message: message))
    }

    private mutating func connected(
        _ status: AgentStatus,
        since previous: AgentStatus?,
        _ time: Double
    ) -> Sample {
        if let previousDatabase = previous?.database {
            let database = status.database
            note(
                countOf: database.busyCount,
                since: previousDatabase.busyCount,
                "lock conflict",
                time
            )
            if let now = database.interrupts, let old = previousDatabase.interrupts {
                let name = "interrupted statement"
                note(countOf: now.delivered, since: old.delivered, name, time)
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
        _ time: Double
    ) {
        guard now > previous else { return }
        note(HumanUnits.counted(Int(clamping: now - previous), name, name + "s"), .warning, time)
    }
}
