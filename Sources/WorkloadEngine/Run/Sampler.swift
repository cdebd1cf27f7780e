import Telemetry

/// Looks at the run ten times a second, and once a second collects what the workers measured.
///
/// Only the thread that conducts the run uses it.
struct Sampler {
    /// What names the samples of a run.
    struct Title: Sendable {
        var scenario: String
        var arm: Arm
        var arms: [String]
    }

    private let title: Title
    private let context: RunContext
    private let emit: (Sample) -> Void
    private var meters: [ClientMeter]
    private var sequence = 0
    private var watch = DatabaseWatch()
    private var phase: String?
    private var seenErrors: [String: Set<String>] = [:]
    /// Whether the time since the last look counts.
    private var isMeasured = false
    private var secondStart: UInt64 = 0
    private var second = DatabaseWatch()
    private var lastSample: Sample?
    private(set) var intervals: [IntervalResult] = []

    init(
        title: Title,
        context: RunContext,
        meters: [ClientMeter],
        emit: @escaping (Sample) -> Void
    ) {
        self.title = title
        self.context = context
        self.meters = meters
        self.emit = emit
    }

    /// Looks at everything now, and shows it.
    mutating func sample(_ state: RunState) {
        let now = context.control.now()
        let time = Double(now) / 1e9
        let stretch = context.phases.stretch(at: now)
        let status = context.target.status()
        var shares = DatabaseWatch.Shares()
        if let status {
            shares = watch.add(status, isMeasured: isMeasured)
            _ = second.add(status, isMeasured: true)
        }
        let isInLoad = now < context.phases.end && context.control.stage < .stopped
        isMeasured = isInLoad && stretch?.isMeasured == true
        if phase != stretch?.name, isInLoad {
            phase = stretch?.name
            context.events.note("phase \(phase ?? "") begins")
        }
        var clients: [ClientStatus] = []
        for index in meters.indices {
            let client = meters[index].status(
                at: min(now, context.control.stopTime),
                in: context.phases
            )
            noteFirstErrors(of: client)
            clients.append(client)
        }
        var sample = Sample(
            sequence: sequence,
            time: time,
            scenario: title.scenario,
            arm: title.arm.name,
            arms: title.arms,
            phase: phase ?? "",
            state: state,
            plannedDuration: Double(context.phases.end) / 1e9,
            database: status ?? title.arm.unwatchedStatus,
            clients: clients,
            utilization: shares.utilization,
            saturation: shares.saturation,
            events: context.events.take(at: time),
            knobs: context.steering?.values(at: now)
        )
        sample.isMeasured = isMeasured
        sequence += 1
        lastSample = sample
        emit(sample)
    }

    private mutating func noteFirstErrors(of client: ClientStatus) {
        for code in client.counts.errors.keys
        where seenErrors[client.name, default: []].insert(code).inserted {
            context.events.note("\(client.name): first \(code)", .error)
        }
    }

    /// Collects the latencies of the last second, and writes its record.
    mutating func endSecond() {
        for index in meters.indices { meters[index].collect() }
        let now = context.control.now()
        guard now > secondStart, let sample = lastSample else { return }
        let duration = Double(now - secondStart) / 1e9
        let isMeasured = context.phases.isMeasured(at: (secondStart + now) / 2)
        secondStart = now
        var clients: [String: IntervalResult.Client] = [:]
        for index in meters.indices {
            clients[meters[index].plan.name.name] = meters[index].interval(duration: duration)
        }
        let pool = second.poolResult()
        second = DatabaseWatch()
        let isWatched = pool != nil
        if isWatched { _ = second.add(sample.database, isMeasured: true) }
        intervals.append(
            IntervalResult(
                time: (Double(now) / 1e9).rounded(toDigits: 3),
                duration: duration.rounded(toDigits: 3),
                phase: sample.phase,
                measured: isMeasured,
                clients: clients,
                utilization: pool?.utilization,
                saturation: pool?.saturation,
                waitingReaders: isWatched ? sample.database.waitingReaders.count : nil,
                waitingWriters: isWatched ? sample.database.waitingWriters.count : nil,
                walBytes: sample.database.wal?.bytes
            )
        )
    }

    /// Adds a worker that was put to work while the load runs.
    mutating func add(_ recorder: WorkerRecorder, toClient index: Int) {
        meters[index].add(recorder)
    }

    /// All accesses that were begun so far.
    var begun: UInt64 { meters.reduce(0) { $0 + $1.begun } }

    /// How late accesses started whose worker was free.
    var freeLag: LatencyHistogram {
        meters.reduce(into: LatencyHistogram()) { $0.add($1.freeLag) }
    }

    /// The clients' results, when the measured phases lasted `seconds`.
    ///
    /// Call it when the workers are done.
    func clientResults(seconds: Double) -> [String: ClientResult] {
        var results: [String: ClientResult] = [:]
        let end = min(context.control.stopTime, context.phases.end)
        for meter in meters {
            results[meter.plan.name.name] = meter.result(
                seconds: seconds,
                phases: context.phases,
                until: end
            )
        }
        return results
    }

    /// What the database's statuses added up to.
    var database: DatabaseWatch { watch }
}

extension Arm {
    /// What a sample shows of a database that cannot be watched, or is not open yet.
    var unwatchedStatus: DatabaseStatus {
        DatabaseStatus(label: name, kind: kind == .pool ? .pool : .queue)
    }
}
