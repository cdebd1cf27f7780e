import Telemetry
import TerminalUI
import Text

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

/// The peak values of a run.
///
/// Panels show them after the run.
struct RunPeaks: Sendable {
    /// The largest numbers of waiting accesses and of readers in use.
    ///
    /// Once the measured time starts, the numbers cover only the measured time, as in the run's
    /// result.
    private(set) var accesses = AccessPeaks()
    /// The share of the measured time with all readers in use and an access waiting, from 0 to 1,
    /// or `nil` if the library does not measure it.
    var saturation: Double? { elapsedTime > 0 ? min(saturatedTime / elapsedTime, 1) : nil }
    /// The time-weighted share of readers in use during the measured time, from 0 to 1, or `nil` if
    /// the library does not measure it.
    var utilization: Double? { elapsedTime > 0 ? min(usedTime / elapsedTime, 1) : nil }

    /// The total length of the intervals with known times, in nanoseconds.
    private var elapsedTime = 0.0
    /// The time with all readers in use and an access waiting, in nanoseconds.
    private var saturatedTime = 0.0
    /// The mean time for which a reader was in use, in nanoseconds.
    private var usedTime = 0.0
    /// The database's status in the previous sample.
    private var previousStatus: DatabaseStatus?
    /// Whether the time after the last sample is part of the run's result, or `nil` if unknown.
    private var isMeasured: Bool?
    private var wasEverMeasured = false
    private(set) var longestReader: WaiterStatus?
    private(set) var longestWriter: WaiterStatus?
    /// The largest size of the write-ahead log, in bytes.
    private(set) var walBytes: UInt64 = 0
    /// The snapshot that reached the greatest age.
    private(set) var oldestSnapshot: SnapshotStatus?

    mutating func append(_ sample: Sample) {
        let database = sample.database
        if isMeasured == true, !wasEverMeasured {
            accesses = AccessPeaks()
            (elapsedTime, saturatedTime, usedTime) = (0, 0, 0)
            wasEverMeasured = true
        }
        if isMeasured == true || !wasEverMeasured {
            accesses.add(database)
            addShares(of: database)
        }
        isMeasured = sample.isMeasured
        previousStatus = database
        for waiter in database.waitingReaders { Self.update(&longestReader, with: waiter) }
        for waiter in database.waitingWriters { Self.update(&longestWriter, with: waiter) }
        walBytes = max(walBytes, database.wal?.bytes ?? 0)
        for snapshot in database.snapshots
        where snapshot.ageNanoseconds > oldestSnapshot?.ageNanoseconds ?? 0 {
            oldestSnapshot = snapshot
        }
    }

    private mutating func addShares(of database: DatabaseStatus) {
        guard let previousStatus, let last = previousStatus.readers, let now = database.readers,
            previousStatus.takenAtNanoseconds > 0,
            database.takenAtNanoseconds > previousStatus.takenAtNanoseconds
        else { return }
        let time = Double(database.takenAtNanoseconds - previousStatus.takenAtNanoseconds)
        elapsedTime += time
        if let now = now.saturatedNanoseconds, let last = last.saturatedNanoseconds {
            saturatedTime += max(0, Double(now) - Double(last))
        }
        usedTime +=
            max(0, Double(now.busyNanoseconds) - Double(last.busyNanoseconds))
            / Double(max(now.maximum, 1))
    }

    private static func update(_ longest: inout WaiterStatus?, with waiter: WaiterStatus) {
        guard waiter.waitedNanoseconds > longest?.waitedNanoseconds ?? 0 else { return }
        longest = waiter
    }
}

extension Sample {
    /// Copies the load's settings, target rates, and throughputs from the last sample of the
    /// running load, because they are absent after the load ends.
    mutating func copyLoad(from last: Sample?) {
        guard let last else { return }
        settings = last.settings
        for index in clients.indices where last.clients.indices.contains(index) {
            clients[index].targetRate = last.clients[index].targetRate
            clients[index].throughput = last.clients[index].throughput
        }
    }
}

extension AccessPeaks {
    /// The peaks as a sentence, such as `At most 6 reads and 1 write waited at the same time`.
    var sentence: String {
        let counts = [(waitingReaders, "read", "reads"), (waitingWriters, "write", "writes")]
            .filter { $0.0 > 0 }
            .map { HumanUnits.counted($0.0, $0.1, $0.2) }
        return counts.isEmpty
            ? areSampled ? "No waiters observed" : "No access waited"
            : "At most \(counts.joined(separator: " and ")) \(waitingVerb) at the same time"
    }

    /// The verb phrase that follows the number of waiting accesses.
    var waitingVerb: String { areSampled ? "were observed to wait" : "waited" }
}

/// The chart values of a sample.
///
/// A value that an attached program does not report is NaN. While the program does not respond, all
/// values are NaN.
struct Moment: Timed, Equatable {
    /// The time since the start of the run, in seconds.
    var time: Double
    /// The number of connections that serve reads, or the time-weighted mean since the previous
    /// sample if it is known.
    var inUse: Double
    var waitingReaders: Double
    var waitingWriters: Double
    /// The share of time with all connections in use and an access waiting, from 0 to 1.
    var saturation: Double
    /// The size of the write-ahead log, in bytes, or NaN if there is no log.
    var walBytes: Double

    init(_ sample: Sample, time: Double) {
        let database = sample.database
        self.time = time
        waitingReaders = Double(database.waitingReaders.count)
        waitingWriters = Double(database.waitingWriters.count)
        let hasWaiter = waitingReaders + (database.kind == .queue ? waitingWriters : 0) > 0
        let isFull: Bool
        if let readers = database.readers {
            let mean = sample.utilization.map { $0 * Double(readers.maximum) } ?? .nan
            inUse = mean.isFinite ? min(max(mean, 0), 1e6) : Double(readers.inUse)
            isFull = readers.inUse >= readers.maximum
        } else {
            let busyCount = database.connections.filter { $0.role == .queue && $0.state != .idle }
                .count
            inUse = Double(busyCount)
            isFull = busyCount > 0
        }
        if let share = sample.saturation, share.isFinite {
            saturation = min(max(share, 0), 1)
        } else {
            // If the saturation was not measured, use the state in this sample.
            saturation = hasWaiter && isFull ? 1 : 0
        }
        walBytes = database.wal.map { Double($0.bytes) } ?? .nan
        if sample.hidesConnections, database.readers == nil {
            inUse = .nan
            // An access that waits for the only connection proves that the connection is in use.
            if sample.saturation == nil { saturation = hasWaiter ? 1 : .nan }
        }
        if sample.hidesWaits {
            (waitingReaders, waitingWriters) = (.nan, .nan)
            if sample.saturation == nil { saturation = .nan }
        }
        if sample.program?.isConnected == false {
            (inUse, waitingReaders, waitingWriters) = (.nan, .nan, .nan)
            (saturation, walBytes) = (.nan, .nan)
        }
    }
}

extension History: Timeline {
    /// Whether the run had ended by the time of the displayed sample.
    var isOver: Bool { displayedSample?.state == .finished }

    /// Whether the database's state is unknown because the attached program does not respond.
    var isUnknown: Bool { displayedSample?.program?.isConnected == false }

    /// Whether the attached program does not report its connections, or does not respond.
    var hidesConnections: Bool { isUnknown || displayedSample?.hidesConnections == true }

    /// Whether the attached program does not report waits, or does not respond.
    var hidesWaits: Bool { isUnknown || displayedSample?.hidesWaits == true }

    /// The text to show in place of an empty list of connections.
    var connectionsPlaceholder: String {
        if hidesConnections {
            return isUnknown ? "unknown" : "unknown: the program does not report its connections"
        }
        return displayedSample?.database.isClosed == true
            ? "the database is closed" : "no connection is open yet"
    }

    /// The text to show in place of the log's size if there is no log.
    var logPlaceholder: String {
        let mode = displayedSample?.database.journalMode
        if isUnknown || displayedSample?.program != nil && (mode == nil || mode == "wal") {
            return "unknown"
        }
        return "none in this journal mode" + (mode.map { " (\($0))" } ?? "")
    }

    /// Returns the share of the last `seconds` during which all connections were in use and an
    /// access waited, from 0 to 1.
    ///
    /// After a run, returns the share of the measured time, as in the run's result.
    func saturation(over seconds: Double) -> Double? {
        (isOver ? peaks.saturation : nil) ?? mean(over: seconds, \.saturation)
    }

    /// Returns the mean number of connections that served reads in the last `seconds`.
    ///
    /// After a run, returns the mean over the measured time, as in the run's result.
    func inUse(over seconds: Double) -> Double? {
        let maximum = Double(displayedSample?.database.readers?.maximum ?? 1)
        return (isOver ? peaks.utilization.map { $0 * maximum } : nil)
            ?? mean(over: seconds, \.inUse)
    }

    /// Returns a label for the last `seconds` before the displayed sample.
    ///
    /// The label is, for example, `last 10 s` or, after a run, `last 10 s of the run`.
    func spanLabel(_ seconds: Double) -> String {
        "last \(HumanUnits.secondsLabel(seconds))" + (isOver ? " of the run" : "")
    }

    /// Returns the time at which a displayed waiter started to wait, in seconds since the run's
    /// start.
    func start(of waiter: WaiterStatus) -> Double {
        max(0, now - Double(waiter.waitedNanoseconds) / 1e9)
    }

    /// Returns at most `count` events up to the displayed moment, newest first.
    func newestEvents(_ count: Int) -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var index = events.count - 1
        while index >= 0, found.count < count {
            // A note has the time of the newest sample, which may be later than the displayed
            // sample.
            if cursor == nil || events[index].time <= now { found.append(events[index]) }
            index -= 1
        }
        return found
    }
}
