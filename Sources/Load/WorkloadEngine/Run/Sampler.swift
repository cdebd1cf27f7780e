import Scenarios
import Telemetry

/// Samples the run and periodically collects the workers' measurements.
///
/// Only the thread that runs the phases uses this value.
struct Sampler {
    struct Title: Sendable {
        var scenario: String
        var arm: Arm
        var arms: [String]
    }

    let title: Title
    let context: RunContext
    private let emit: (Sample) -> Void
    private(set) var meters: [ClientMeter]
    private var sequence = 0
    private var watch = DatabaseWatch()
    private var phase: String?
    private var seenErrors: [String: Set<String>] = [:]
    private var isMeasured = false
    /// Whether the target's time statistics were reset at the start of the first measured phase.
    private var hasResetTimes = false
    private var secondStart: UInt64 = 0
    private var intervalWatch = DatabaseWatch()
    private var lastSample: Sample?
    private(set) var intervals: [IntervalResult] = []
    private var ledger: BlameLedger

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
        ledger = BlameLedger(meters.map(\.plan), arm: title.arm, origin: context.clock.now())
    }

    mutating func sample(_ state: RunState) {
        let now = context.control.now()
        let time = Double(now) / 1e9
        let current = context.phases.phase(at: now)
        let status = context.target.status()
        var shares = DatabaseWatch.Shares()
        if let status {
            shares = watch.add(status, isMeasured: isMeasured)
            _ = intervalWatch.add(status, isMeasured: true)
        }
        let isInLoad = now < context.phases.end && context.control.stage < .stopped
        let wasMeasured = isMeasured
        isMeasured = isInLoad && current?.isMeasured == true
        if isMeasured, !wasMeasured, !hasResetTimes {
            context.target.restartTimes()
            hasResetTimes = true
        }
        if phase != current?.name, isInLoad {
            phase = current?.name
            context.events.note("phase \(phase ?? "") starts")
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
            settings: context.steering?.values(at: now)
        )
        sample.isMeasured = isMeasured
        sequence += 1
        lastSample = sample
        emit(sample)
    }

    private mutating func noteFirstErrors(of client: ClientStatus) {
        for code in client.counts.errors.keys
        where seenErrors[client.name, default: []].insert(code).inserted {
            context.events.note("\(client.name): first \(code)", severity: .error)
            // Later accesses would also fail.
            if code == "SQLITE_FULL" {
                context.control.fail(
                    because: "\(client.name): SQLITE_FULL: the disk is full, or the database has "
                        + "reached its maximum size"
                )
            }
        }
    }

    /// Collects the workers' measurements and appends a record for the time since the previous
    /// record.
    mutating func endInterval() {
        let now = context.control.now()
        let isMeasured = context.phases.isMeasured(at: (secondStart + now) / 2)
        collect(isMeasured: isMeasured)
        guard now > secondStart, let sample = lastSample else { return }
        let duration = Double(now - secondStart) / 1e9
        secondStart = now
        var clients: [String: IntervalResult.Client] = [:]
        for index in meters.indices {
            clients[meters[index].plan.name.name] = meters[index].interval(duration: duration)
        }
        let pool = intervalWatch.poolResult()
        intervalWatch = DatabaseWatch()
        let isWatched = pool != nil
        if isWatched { _ = intervalWatch.add(sample.database, isMeasured: true) }
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

    private mutating func collect(isMeasured: Bool) {
        let now = context.clock.now()
        ledger.advance(to: now)
        var slow: [[SlowAccesses]] = []
        for index in meters.indices {
            slow.append(
                meters[index].collect(
                    at: now,
                    into: &ledger,
                    as: index,
                    isMeasured: isMeasured
                )
            )
        }
        if let periods = context.periods {
            for meter in meters {
                periods.add(meter.collected, meter.measuredCounts, of: meter.plan.name.name)
            }
        }
        ledger.close(at: now)
        let readers = lastSample?.database.readers?.maximum ?? title.arm.readers
        for (index, windows) in slow.enumerated() {
            for window in windows {
                ledger.join(window, of: index, operation: meters[index].operation(at:))
            }
            ledger.joinRecent(windows, of: index, operation: meters[index].operation(at:))
            meters[index].slow = ledger.recentSplit(
                of: index,
                response: meters[index].recentResponse,
                readers: readers
            )
        }
    }

    /// Returns the causes of each client's slow accesses, or `nil` if no client was timed.
    ///
    /// Call this method after the workers have ended.
    func blame() -> [String: BlameResult]? {
        let readers = watch.poolResult()?.maximumReaderCount ?? title.arm.readers
        var results: [String: BlameResult] = [:]
        for (index, meter) in meters.enumerated() {
            let response = meter.histograms().response
            guard response.count > 0 else { continue }
            let result = ledger.result(of: index, response: response, readers: readers)
            results[meter.plan.name.name] = result
        }
        return results.isEmpty ? nil : results
    }

    mutating func add(_ recorder: WorkerRecorder, toClient index: Int) {
        meters[index].add(recorder)
    }

    var begun: UInt64 { meters.reduce(0) { $0 + $1.begun } }

    /// Returns, for each client, the share of `seconds` during which its workers were busy.
    func generatorLoads(noop: UInt64, seconds: Double) -> [GeneratorLoad] {
        meters.map { meter in
            let histograms = meter.histograms()
            let (wait, service) = (histograms.wait, histograms.service)
            let typical = service.value(at: 50).map { $0 + (wait.value(at: 50) ?? 0) }
            let time = wait.total + service.total + service.count * noop
            let capacity = seconds * 1e9 * Double(max(1, meter.plan.client.workers))
            // If workers are always busy, a high share does not indicate a slow generator.
            let isAlwaysBusy = meter.plan.keepsWorkersBusy
            return GeneratorLoad(
                client: meter.plan.name.name,
                medianTime: typical,
                busyShare: isAlwaysBusy ? 1 : capacity > 0 ? Double(time) / capacity : 0
            )
        }
    }

    var freeLag: LatencyHistogram {
        meters.reduce(into: LatencyHistogram()) { $0.add($1.freeLag) }
    }

    /// Returns the clients' results.
    ///
    /// `seconds` contains the length of each phase. Call this method after the workers have ended.
    func clientResults(seconds: [Double]) -> [String: ClientResult] {
        var results: [String: ClientResult] = [:]
        let end = min(context.control.stopTime, context.phases.end)
        for meter in meters {
            results[meter.plan.name.name] = meter.result(
                seconds: seconds,
                until: end
            )
        }
        return results
    }

    /// The measured response times of each client with accesses, keyed by name.
    var responses: [String: ResponseTimes] {
        var responses: [String: ResponseTimes] = [:]
        for meter in meters { responses[meter.plan.name.name] = meter.responseTimes }
        return responses
    }

    var database: DatabaseWatch { watch }
}

extension Arm {
    /// The status of a database that is not open or does not report its status.
    var unwatchedStatus: DatabaseStatus {
        DatabaseStatus(label: name, kind: kind == .pool ? .pool : .queue)
    }
}

extension Sampler {
    /// Returns the first threshold that the current measurements miss, if any.
    ///
    /// Call this method after ``endInterval()``.
    func firstMiss(of watch: AbortWatch) -> AbortResult? {
        let now = context.control.now()
        let seconds = context.phases.measuredTime(until: now).secondsFromNanoseconds
        guard watch.isDue(at: seconds) else { return nil }
        return watch.firstMiss(in: interim(of: watch.clients, at: now, seconds: seconds))
    }

    private func interim(of names: Set<String>, at now: UInt64, seconds: Double) -> ArmResult {
        let phaseSeconds = context.phases.seconds(until: now)
        var clients: [String: ClientResult] = [:]
        for meter in meters where names.contains(meter.plan.name.name) {
            clients[meter.plan.name.name] = meter.interim(
                seconds: phaseSeconds,
                at: context.clock.now()
            )
        }
        return ArmResult(
            arm: title.arm.name,
            valid: true,
            partial: true,
            duration: seconds.rounded(toDigits: 6),
            environment: [:],
            clients: clients,
            pool: database.poolResult(),
            wal: database.walResult(),
            snapshots: database.snapshotResult(),
            interrupts: database.interruptResult(),
            generator: GeneratorResult(),
            thresholds: [],
            invariants: [],
            intervals: []
        )
    }
}
