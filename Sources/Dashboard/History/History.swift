import Telemetry

/// The data of all screens: the displayed sample and the recorded series.
///
/// The displayed sample is the newest sample, or an earlier sample that the user selected.
///
/// The history covers at most five minutes at ten samples per second. Samples use at most 32 MiB
/// (``SampleStore``), the states of lanes 1.5 MiB, and all other series 2 MiB. A frozen display
/// keeps a second history.
struct History: Sendable {
    /// The maximum number of samples: five minutes at ten samples per second.
    static let capacity = 3_000
    /// The number of samples for which the lane of a closed connection remains: three seconds at
    /// ten samples per second.
    private static let lingeringSamples = 30
    private static let maximumLanes = 512

    /// The displayed sample, or `nil` before the first sample.
    private(set) var displayedSample: Sample?
    /// The index in ``moments`` of the displayed earlier sample, or `nil` for the newest sample.
    private(set) var cursor: Int?
    /// The recorded samples, aligned with ``moments``.
    private var samples = SampleStore(capacity: Self.capacity)
    /// The values for charts, newest last.
    private(set) var moments = RingBuffer<Moment>(capacity: Self.capacity)
    /// One lane for each connection: the writer or queue, followed by readers and snapshots.
    private(set) var lanes: [Lane] = []
    /// The throughput of each client, aligned with ``moments``.
    ///
    /// The outer index is the client's index in a sample.
    private(set) var throughputs: [RingBuffer<Double>] = []
    private(set) var latencies = OperationHistory()
    /// The records of this session's arms, in the order of their first runs.
    private(set) var arms: [ArmRecord] = []
    private static let maximumArms = 16
    private(set) var peaks = RunPeaks()
    /// The newest sample that was taken while the load was running or paused.
    private var lastLoadSample: Sample?
    /// The events, newest last.
    private(set) var events = RingBuffer<TelemetryEvent>(capacity: 200)

    /// Adds a sample.
    ///
    /// A sample of a different arm or of a restarted run starts a new history.
    mutating func append(_ sample: Sample) {
        if let last = displayedSample, isNewRun(sample, after: last) { restart(with: sample) }
        var shown = sample
        switch sample.state {
        case .preparing: break
        case .running, .paused: lastLoadSample = sample
        case .draining, .finished: shown.copyLoad(from: lastLoadSample)
        }
        let previousTime = moments.last?.time ?? 0
        // Charts require finite, nondecreasing times.
        let time = sample.time.isFinite ? max(sample.time, previousTime) : previousTime
        moments.append(Moment(sample, time: time))
        samples.append(shown)
        peaks.append(sample)
        latencies.append(sample, time: time)
        appendToArm(sample)
        appendLanes(of: sample)
        appendThroughputs(sample.clients)
        for event in sample.events { events.append(event) }
        displayedSample = shown
    }

    mutating func append(_ event: TelemetryEvent) { events.append(event) }

    /// Returns the mean of a value over the last `seconds`, or `nil` if no value is finite.
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

    /// Returns the maximum of a value over the last `seconds`, or `nil` if no value is finite.
    func maximum(over seconds: Double, _ value: (Moment) -> Double) -> Double? {
        var largest: Double?
        visitMoments(last: seconds) { moment in
            let value = value(moment)
            if value.isFinite { largest = max(largest ?? value, value) }
        }
        return largest
    }

    /// Displays the sample at an index in ``moments``, or the nearest recorded sample.
    mutating func show(at position: Int) {
        let bounded = min(max(position, samples.firstStoredIndex), moments.count - 1)
        guard bounded >= 0, let sample = samples[bounded] else { return }
        cursor = bounded
        displayedSample = sample
        for index in lanes.indices {
            lanes[index].hasRunEnded = sample.state == .finished
            lanes[index].status = sample.database.connections.first {
                $0.label == lanes[index].label
            }
        }
    }

    /// Visits the recorded samples of the last `seconds`, newest first.
    func visitSamples(last seconds: Double, _ body: (Sample) -> Void) {
        var index = cursor ?? moments.count - 1
        guard index >= 0 else { return }
        let now = moments[index].time
        while index >= 0, moments[index].time >= now - seconds, let sample = samples[index] {
            body(sample)
            index -= 1
        }
    }

    /// Visits the moments of the last `seconds`, newest first.
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

    private mutating func restart(with sample: Sample) {
        moments.removeAll()
        samples.removeAll()
        cursor = nil
        lanes = []
        throughputs = []
        latencies = OperationHistory()
        peaks = RunPeaks()
        lastLoadSample = nil
        for index in arms.indices { arms[index].isRunning = false }
        // A new run of an arm replaces the arm's previous run.
        if let index = arms.firstIndex(where: { $0.isForArm(of: sample) }) {
            arms[index] = ArmRecord(sample)
        }
        events.append(TelemetryEvent(time: 0, message: "arm \(sample.arm) starts"))
    }

    private mutating func appendLanes(of sample: Sample) {
        let connections = sample.database.connections
        var isSeen = Array(repeating: false, count: lanes.count)
        for (order, connection) in connections.enumerated() {
            // A lane usually has the same index as in the previous sample.
            let known =
                lanes.indices.contains(order) && lanes[order].label == connection.label
                ? order : lanes.firstIndex { $0.label == connection.label }
            if let known {
                guard !isSeen[known] else { continue }
                isSeen[known] = true
                lanes[known].status = connection
                lanes[known].samplesSinceClose = 0
                lanes[known].states.append(LaneState(connection))
                if connection.holder != nil { lanes[known].lastHeldStatus = connection }
            } else if lanes.count < Self.maximumLanes {
                var lane = Lane(
                    label: connection.label,
                    role: connection.role,
                    states: RingBuffer(capacity: Self.capacity)
                )
                lane.status = connection
                if connection.holder != nil { lane.lastHeldStatus = connection }
                lane.states.append(LaneState(connection))
                let position = indexOfNewLane(connection.role)
                lanes.insert(lane, at: position)
                isSeen.insert(true, at: position)
            }
        }
        for index in lanes.indices { lanes[index].hasRunEnded = sample.state == .finished }
        for index in lanes.indices where !isSeen[index] {
            lanes[index].status = nil
            // Lanes remain while an attached program does not respond.
            if sample.program?.isConnected != false { lanes[index].samplesSinceClose += 1 }
            lanes[index].states.append(.absent)
        }
        lanes.removeAll { $0.samplesSinceClose > Self.lingeringSamples }
    }

    private func indexOfNewLane(_ role: ConnectionRole) -> Int {
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
        // The arm's settings are unknown until the database is open. A program has no arms.
        guard let moment = moments.last, sample.state != .preparing, sample.program == nil
        else { return }
        var position = arms.firstIndex { $0.isForArm(of: sample) }
        if position == nil, arms.count < Self.maximumArms {
            arms.append(ArmRecord(sample))
            position = arms.count - 1
        }
        guard let position else { return }
        arms[position].append(sample, moment)
        arms[position].isRunning = sample.state != .finished
    }

    private mutating func appendThroughputs(_ clients: [ClientStatus]) {
        while throughputs.count < clients.count {
            var series = RingBuffer<Double>(capacity: Self.capacity)
            // Align the series with the moments, which already include the newest moment.
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
