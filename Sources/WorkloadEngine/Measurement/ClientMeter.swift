import Telemetry

/// What a client's workers measured, put together: the sampler's side of the recorders.
///
/// Only the thread that samples uses it.
struct ClientMeter {
    /// The client.
    let plan: ClientPlan
    private(set) var recorders: [WorkerRecorder]
    /// A cleared window to exchange for a worker's filled one.
    private var spare: WorkerRecorder.Window
    /// The measured latencies of the whole run, by operation.
    private var totals: [AccessHistograms]
    /// The lag of accesses whose worker was free, of the whole run.
    private(set) var freeLag = LatencyHistogram()
    /// The last seconds, all accesses, measured or not.
    private var recent = RecentLatencies()
    /// The distributions of the second that was collected last, until a sample took them.
    private var fresh: [OperationLatencies]?
    /// The arrivals that are due, so that those who wait for a worker show; nil without a schedule.
    private var due: DueArrivals?
    /// The completed accesses at the last samples, for the throughput.
    private var progress = RateWindow()

    init(plan: ClientPlan, recorders: [WorkerRecorder]) {
        self.plan = plan
        self.recorders = recorders
        due = plan.schedule.map { DueArrivals($0) }
        spare = WorkerRecorder.Window(operations: plan.operationNames.count)
        totals = Array(repeating: AccessHistograms(), count: plan.operationNames.count)
    }

    /// Adds a worker that was put to work while the load runs.
    mutating func add(_ recorder: WorkerRecorder) { recorders.append(recorder) }

    /// All accesses that were begun, measured or not.
    var begun: UInt64 { recorders.reduce(0) { $0 + $1.read().begun } }

    /// Collects the latencies since the last call, which should be a second ago.
    mutating func collect() {
        recent.startSecond()
        var second = plan.operationNames.map { OperationLatencies(name: $0) }
        for recorder in recorders {
            recorder.exchange(&spare)
            for index in totals.indices {
                totals[index].add(spare.measured[index])
                recent.add(spare.measured[index])
                recent.add(spare.unmeasured[index])
                spare.measured[index].add(to: &second[index])
                spare.unmeasured[index].add(to: &second[index])
            }
            freeLag.add(spare.freeLag)
            spare.clear()
        }
        recent.endSecond()
        fresh = second
    }

    /// The client as a sample shows it, at a load time.
    ///
    /// What is queued or running counts as unfinished so far.
    mutating func status(at now: UInt64, in phases: PhasePlan) -> ClientStatus {
        var counts = AccessCounts()
        var completed: UInt64 = 0
        for recorder in recorders {
            let reading = recorder.read()
            for operation in reading.counts { counts.add(operation) }
            completed += reading.completed
        }
        if let curve = plan.arrivals?.curve,
            let arrived = due?.count(until: now, in: phases, along: curve)
        {
            counts.offered = max(counts.offered, arrived)
        }
        let ended = counts.completed + counts.skipped + counts.errorCount + counts.interrupted
        counts.unfinished = counts.offered - min(counts.offered, ended)
        defer { fresh = nil }
        var status = ClientStatus(
            name: plan.name.name,
            activity: plan.client.activityName,
            workers: min(plan.knobs.read().workers, recorders.count),
            targetRate: plan.targetRate(at: now),
            throughput: progress.rate(at: now.secondsFromNanoseconds, count: completed),
            counts: counts,
            response: recent.summaries.response,
            wait: recent.summaries.wait,
            service: recent.summaries.service
        )
        status.operations = fresh
        return status
    }

    /// What the client did since the last call, for an interval's record.
    ///
    /// Call it after ``collect()``; `duration` is in seconds.
    mutating func interval(duration: Double) -> IntervalResult.Client {
        let completed = recorders.reduce(0) { $0 + $1.read().completed }
        defer { completedAtInterval = completed }
        let count = completed - completedAtInterval
        return IntervalResult.Client(
            completed: count,
            throughput: duration > 0 ? (Double(count) / duration).rounded(toDigits: 2) : 0,
            response: recent.second.response,
            wait: recent.second.wait,
            service: recent.second.service
        )
    }

    private var completedAtInterval: UInt64 = 0

    /// The whole run's result, when the measured phases lasted `seconds`.
    ///
    /// Call it when the workers are done and all is collected.
    func result(seconds: Double, phases: PhasePlan, until end: UInt64) -> ClientResult {
        let readings = recorders.map { $0.read() }
        var sum = AccessCounts()
        var operations: [String: ClientResult] = [:]
        var histograms = AccessHistograms()
        for (index, name) in plan.operationNames.enumerated() {
            var counts = AccessCounts()
            for reading in readings {
                counts.add(reading.counts[index])
                if reading.running == index { counts.unfinished += 1 }
            }
            sum.add(counts)
            histograms.add(totals[index])
            operations[name] = ClientResult(counts, totals[index], seconds: seconds)
        }
        // Arrivals whose turn never came have drawn no operation yet.
        for reading in readings {
            sum.offered += reading.left
            sum.unfinished += reading.left
        }
        var result = ClientResult(sum, histograms, seconds: seconds)
        result.targetRate = plan.targetRate(over: phases, until: end)
        result.operations = operations
        return result
    }

    /// The measured latencies of the whole run, all operations together, for thresholds.
    func histograms() -> AccessHistograms {
        totals.reduce(into: AccessHistograms()) { $0.add($1) }
    }
}

extension ClientResult {
    /// Puts counts and latencies together.
    fileprivate init(_ counts: AccessCounts, _ histograms: AccessHistograms, seconds: Double) {
        self.init(
            offered: counts.offered,
            started: counts.started,
            completed: counts.completed,
            skipped: counts.skipped,
            late: counts.late,
            retried: counts.retried,
            interrupted: counts.interrupted,
            unfinished: counts.unfinished,
            errors: counts.errors,
            throughput: seconds > 0
                ? (Double(counts.completed) / seconds).rounded(toDigits: 2) : nil,
            response: histograms.response.summary,
            wait: histograms.wait.summary,
            service: histograms.service.summary,
            lag: histograms.lag.summary
        )
    }
}

extension Double {
    /// The number with so many digits after the point, for a result that people read too.
    func rounded(toDigits digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
