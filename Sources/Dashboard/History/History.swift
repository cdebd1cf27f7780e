import Telemetry

/// All that a screen draws from: a sample, and the series around it.
///
/// The sample is the newest, or, in a history that somebody went back in, the one looked at.
///
/// Bounded, however long a run lasts: five minutes at ten samples a second. Its samples take at
/// most 32 MiB (``SampleStore``), the states of lanes 1.5 MiB, all other series 2 MiB. A display
/// that stands still keeps a second history.
struct History: Sendable {
    /// How many samples are kept: five minutes at ten a second.
    static let capacity = 3_000
    /// How many samples a closed connection's lane stays: three seconds at ten a second.
    private static let lingering = 30
    /// How many lanes there can be.
    private static let maximumLanes = 512

    /// The sample that screens show.
    private(set) var latest: Sample?
    /// The place among ``moments`` of the sample that somebody went back to; nil for the newest.
    private(set) var cursor: Int?
    /// The samples that somebody can go back to, aligned with ``moments``.
    private var samples = SampleStore(capacity: Self.capacity)
    /// The samples' numbers, the newest last.
    private(set) var moments = RingBuffer<Moment>(capacity: Self.capacity)
    /// One lane for each connection: the writer or the queue's, readers, snapshots.
    private(set) var lanes: [Lane] = []
    /// The throughput of each client, by its place in the sample, aligned with ``moments``.
    private(set) var throughputs: [RingBuffer<Double>] = []
    /// How long accesses took, for each client and operation.
    private(set) var latencies = LatencyHistory()
    /// What was seen of each arm of this session, in the order of their first runs.
    private(set) var arms: [ArmRecord] = []
    /// The most arms whose records are kept.
    private static let maximumArms = 16
    /// The most that was seen of this run, however long ago.
    private(set) var peaks = RunPeaks()
    /// The newest sample whose load still ran.
    private var lastOfLoad: Sample?
    /// What happened, the newest last.
    private(set) var events = RingBuffer<TelemetryEvent>(capacity: 200)

    /// Adds a sample; one of another arm, or of a run that starts over, begins a new history.
    mutating func append(_ sample: Sample) {
        if let last = latest, isNewRun(sample, after: last) { startOver(with: sample) }
        var shown = sample
        switch sample.state {
        case .preparing: break
        case .running, .paused: lastOfLoad = sample
        case .draining, .finished: shown.keepLoad(of: lastOfLoad)
        }
        let before = moments.last?.time ?? 0
        // A clock that stands still or is no number must not upset the charts.
        let time = sample.time.isFinite ? max(sample.time, before) : before
        moments.append(Moment(sample, time: time))
        samples.append(shown)
        peaks.append(sample)
        latencies.append(sample, time: time)
        appendToArm(sample)
        appendLanes(sample.database.connections, isOver: sample.state == .finished)
        appendThroughputs(sample.clients)
        for event in sample.events { events.append(event) }
        latest = shown
    }

    /// Adds an event of the program that shows the run.
    mutating func append(_ event: TelemetryEvent) { events.append(event) }

    /// The mean of a moment's number over the last `seconds`; nil without samples.
    func mean(over seconds: Double, _ value: (Moment) -> Double) -> Double? {
        var sum = 0.0
        var count = 0
        visitMoments(last: seconds) { moment in
            let value = value(moment)
            guard value.isFinite else { return }
            sum += value
            count += 1
        }
        return count > 0 ? sum / Double(count) : nil
    }

    /// The largest of a moment's number over the last `seconds`; nil without samples.
    func maximum(over seconds: Double, _ value: (Moment) -> Double) -> Double? {
        var largest: Double?
        visitMoments(last: seconds) { largest = max(largest ?? value($0), value($0)) }
        return largest
    }

    /// Shows the sample at a place among ``moments``, or the nearest that is kept.
    mutating func look(atPlace place: Int) {
        let bounded = min(max(place, samples.firstKept), moments.count - 1)
        guard bounded >= 0, let sample = samples[bounded] else { return }
        cursor = bounded
        latest = sample
        for index in lanes.indices {
            lanes[index].isOver = sample.state == .finished
            lanes[index].status = sample.database.connections.first {
                $0.label == lanes[index].label
            }
        }
    }

    /// Visits the samples of the last seconds that are kept, from the newest.
    func visitSamples(last seconds: Double, _ body: (Sample) -> Void) {
        var index = cursor ?? moments.count - 1
        guard index >= 0 else { return }
        let now = moments[index].time
        while index >= 0, moments[index].time >= now - seconds, let sample = samples[index] {
            body(sample)
            index -= 1
        }
    }

    /// Visits the numbers of the last seconds, from the newest.
    func visitMoments(last seconds: Double, _ body: (Moment) -> Void) {
        var index = cursor ?? moments.count - 1
        guard index >= 0 else { return }
        let now = moments[index].time
        while index >= 0, moments[index].time >= now - seconds {
            body(moments[index])
            index -= 1
        }
    }

    private func isNewRun(_ sample: Sample, after last: Sample) -> Bool {
        sample.arm != last.arm || sample.scenario != last.scenario
            || sample.sequence < last.sequence
            || sample.database.kind != last.database.kind
    }

    private mutating func startOver(with sample: Sample) {
        moments.removeAll()
        samples.removeAll()
        cursor = nil
        lanes = []
        throughputs = []
        latencies = LatencyHistory()
        peaks = RunPeaks()
        lastOfLoad = nil
        for index in arms.indices { arms[index].isRunning = false }
        // A run of an arm that ran before takes the place of that one.
        if let index = arms.firstIndex(where: { $0.isOf(sample) }) {
            arms[index] = ArmRecord(sample)
        }
        events.append(TelemetryEvent(time: 0, message: "arm \(sample.arm) begins"))
    }

    private mutating func appendLanes(_ connections: [ConnectionStatus], isOver: Bool) {
        var isSeen = Array(repeating: false, count: lanes.count)
        for (order, connection) in connections.enumerated() {
            // Mostly where it was in the last sample.
            let known =
                lanes.indices.contains(order) && lanes[order].label == connection.label
                ? order : lanes.firstIndex { $0.label == connection.label }
            if let known {
                guard !isSeen[known] else { continue }
                isSeen[known] = true
                lanes[known].status = connection
                lanes[known].missed = 0
                lanes[known].states.append(LaneState(connection))
                if connection.holder != nil { lanes[known].lastWork = connection }
            } else if lanes.count < Self.maximumLanes {
                var lane = Lane(
                    label: connection.label,
                    role: connection.role,
                    states: RingBuffer(capacity: Self.capacity)
                )
                lane.status = connection
                if connection.holder != nil { lane.lastWork = connection }
                lane.states.append(LaneState(connection))
                let place = placeOfNewLane(connection.role)
                lanes.insert(lane, at: place)
                isSeen.insert(true, at: place)
            }
        }
        for index in lanes.indices { lanes[index].isOver = isOver }
        for index in lanes.indices where !isSeen[index] {
            lanes[index].status = nil
            lanes[index].missed += 1
            lanes[index].states.append(.absent)
        }
        lanes.removeAll { $0.missed > Self.lingering }
    }

    /// Behind the lanes of its own role and of those before it.
    private func placeOfNewLane(_ role: ConnectionRole) -> Int {
        let rank = Self.rank(role)
        return lanes.firstIndex { Self.rank($0.role) > rank } ?? lanes.count
    }

    private static func rank(_ role: ConnectionRole) -> Int {
        switch role {
        case .queue, .writer: 0
        case .reader: 1
        case .snapshot: 2
        }
    }

    private mutating func appendToArm(_ sample: Sample) {
        // Before the database is open nobody knows which arm it is.
        guard let moment = moments.last, sample.state != .preparing else { return }
        var place = arms.firstIndex { $0.isOf(sample) }
        if place == nil, arms.count < Self.maximumArms {
            arms.append(ArmRecord(sample))
            place = arms.count - 1
        }
        guard let place else { return }
        arms[place].append(sample, moment)
        arms[place].isRunning = sample.state != .finished
    }

    private mutating func appendThroughputs(_ clients: [ClientStatus]) {
        while throughputs.count < clients.count {
            var series = RingBuffer<Double>(capacity: Self.capacity)
            // Aligned with the moments, the newest of which is in already.
            for _ in 1..<max(1, moments.count) { series.append(.nan) }
            throughputs.append(series)
        }
        for index in throughputs.indices {
            throughputs[index].append(
                index < clients.count ? clients[index].throughput : .nan
            )
        }
    }
}
