import Telemetry

/// A meter that combines the measurements of a client's workers for the sampler.
///
/// Only the sampling thread uses this value.
struct ClientMeter {
    let plan: ClientPlan
    private(set) var recorders: [WorkerRecorder]
    private let phases: PhasePlan
    /// A cleared window to swap with a worker's filled window.
    private var spare: WorkerRecorder.Window
    /// The latencies of the whole run, indexed by cell, or `nil` for cells without latencies.
    private var totals: [AccessHistograms?]
    /// The lag of measured accesses that had a free worker.
    private(set) var freeLag = LatencyHistogram()
    /// The response times of the measured accesses.
    private var responses = LatencyBuckets()
    /// The recent latencies of all accesses, including accesses that are not measured.
    private var recent = RecentLatencies()
    /// The response times of the measured accesses in the last collection.
    private(set) var collected = LatencyHistogram()
    /// The distributions of the last collected second, for the next sample.
    private var lastSecond: [OperationLatencies]?
    /// The causes of the recent slow accesses, for the next sample.
    var slow: SlowSplit?
    /// The due arrivals, including arrivals that wait for a worker, or `nil` without a schedule.
    private var due: DueArrivals?
    /// Whether the number of workers has never changed.
    private var isSteady = true
    private var progress = RateWindow()

    init(plan: ClientPlan, recorders: [WorkerRecorder], phases: PhasePlan) {
        self.plan = plan
        self.recorders = recorders
        self.phases = phases
        due = plan.schedule.map { DueArrivals($0) }
        let cells = plan.operationNames.count * (phases.all.count + 1)
        spare = WorkerRecorder.Window(cells: cells)
        totals = Array(repeating: nil, count: cells)
    }

    mutating func add(_ recorder: WorkerRecorder) { recorders.append(recorder) }

    var recentResponse: LatencyHistogram { recent.response }

    /// The number of started accesses, including accesses that are not measured.
    var begun: UInt64 { recorders.reduce(0) { $0 + $1.read().begun } }

    private func measuredCells(of operation: Int? = nil) -> [Int] {
        phases.all.indices.filter { phases.all[$0].isMeasured }
            .flatMap { cells(inPhase: $0, of: operation) }
    }

    private func isMeasuredCell(_ cell: Int) -> Bool {
        let phase = cell / plan.operationNames.count
        return phases.all.indices.contains(phase) && phases.all[phase].isMeasured
    }

    private func cells(inPhase phase: Int, of operation: Int? = nil) -> [Int] {
        let count = plan.operationNames.count
        if let operation { return [phase * count + operation] }
        return Array(phase * count..<(phase + 1) * count)
    }

    /// Collects the measurements since the previous call.
    ///
    /// Call this method once per second.
    ///
    /// - Returns: The slowest measured accesses of each worker.
    mutating func collect(
        at now: UInt64,
        into ledger: inout BlameLedger,
        as client: Int,
        isMeasured: Bool
    ) -> [SlowAccesses] {
        recent.startSecond()
        collected.clear()
        var slow: [SlowAccesses] = []
        var second = plan.operationNames.map { OperationLatencies(name: $0) }
        for recorder in recorders {
            let openSince = recorder.exchange(&spare)
            for index in totals.indices {
                guard let histograms = spare.histograms[index] else { continue }
                if totals[index] == nil { totals[index] = AccessHistograms() }
                totals[index]?.add(histograms)
                recent.add(histograms)
                if isMeasuredCell(index) {
                    histograms.response.add(to: &responses)
                    collected.add(histograms.response)
                }
                histograms.add(to: &second[index % second.count])
            }
            freeLag.add(spare.freeLag)
            ledger.add(
                spare.holds,
                openSince: openSince,
                of: client,
                at: now,
                isMeasured: isMeasured
            )
            if !spare.slow.accesses.isEmpty { slow.append(spare.slow) }
            spare.clear()
        }
        recent.endSecond()
        lastSecond = second
        return slow
    }

    /// The counts of the measured accesses.
    var measuredCounts: AccessCounts {
        let cells = measuredCells()
        return recorders.reduce(into: AccessCounts()) { counts, recorder in
            let reading = recorder.read()
            for cell in cells { counts.add(reading.counts[cell]) }
        }
    }

    func operation(at cell: Int) -> String {
        plan.operationNames[cell % plan.operationNames.count]
    }

    /// Returns the client's status at a load time, counting queued and running accesses as
    /// unfinished.
    mutating func status(at now: UInt64, in phases: PhasePlan) -> ClientStatus {
        if plan.settings.read().workers != plan.client.workers { isSteady = false }
        var counts = AccessCounts()
        var completed: UInt64 = 0
        let cells = measuredCells()
        for recorder in recorders {
            let reading = recorder.read()
            for cell in cells { counts.add(reading.counts[cell]) }
            completed += reading.completed
        }
        if let curve = plan.arrivals?.curve,
            let arrived = due?.count(until: now, in: phases, along: curve)
        {
            counts.offered = max(counts.offered, arrived)
        }
        let ended = counts.completed + counts.skipped + counts.errorCount + counts.interrupted
        counts.unfinished = counts.offered - min(counts.offered, ended)
        defer { lastSecond = nil }
        var status = ClientStatus(
            name: plan.name.name,
            activity: plan.client.activityName,
            workers: min(plan.settings.read().workers, recorders.count),
            targetRate: plan.targetRate(at: now),
            throughput: progress.recordCount(completed, at: now.secondsFromNanoseconds),
            counts: counts,
            response: recent.summaries.response,
            wait: recent.summaries.wait,
            service: recent.summaries.service
        )
        status.operations = lastSecond
        status.responseBuckets = responses
        status.slow = slow
        return status
    }

    /// Returns a record of the accesses since the previous call, `duration` seconds ago.
    ///
    /// Call this method after ``collect(at:into:as:isMeasured:)``.
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

    /// Returns the result of the whole run, based on the length of each phase in seconds.
    ///
    /// Call this method after the workers have ended and all windows have been collected.
    func result(seconds: [Double], until end: UInt64) -> ClientResult {
        let readings = recorders.map { $0.read() }
        let measured = phases.all.indices.filter { phases.all[$0].isMeasured }
        var result = result(inPhases: measured, readings, seconds: seconds)
        result.spectra = LatencySpectra(histograms())
        // The spectra of a single operation would equal the client's spectra.
        for (index, name) in plan.operationNames.enumerated() where plan.operationNames.count > 1 {
            result.operations?[name]?.spectra = LatencySpectra(histograms(of: index))
        }
        result.targetRate = plan.targetRate(over: phases, until: end)
        result.loop = plan.loop
        result.fairness = fairness(readings, at: nil)
        result.caveat = plan.loop == .closed ? Self.closedLoopCaveat : nil
        var byPhase: [String: ClientResult] = [:]
        for (index, phase) in phases.all.enumerated() {
            byPhase[phase.name] = self.result(inPhases: [index], readings, seconds: seconds)
        }
        result.phases = byPhase
        return result
    }

    /// Returns the current measurements, based on the length of each phase in seconds.
    ///
    /// Running accesses are excluded, because their outcome is unknown.
    func interim(seconds: [Double], at now: UInt64) -> ClientResult {
        let readings = recorders.map { $0.read() }
        let measured = phases.all.indices.filter { phases.all[$0].isMeasured }
        var result = result(inPhases: measured, readings, seconds: seconds, countsRunning: false)
        result.loop = plan.loop
        result.fairness = fairness(readings, at: now)
        return result
    }

    /// Returns how evenly the workers share the accesses, or `nil` if there is only one worker.
    ///
    /// Waits of running accesses end at the clock time `now`, or are omitted if `now` is `nil`.
    private func fairness(
        _ readings: [WorkerRecorder.Reading],
        at now: UInt64?
    ) -> FairnessResult? {
        guard recorders.count > 1, plan.isTimed else { return nil }
        let cells = measuredCells()
        return FairnessResult(
            completed: readings.map { reading in
                cells.reduce(0) { $0 + reading.counts[$1].completed }
            },
            waits: recorders.map { $0.longestWait(at: now ?? 0) },
            sharesArrivals: plan.arrivals != nil,
            isSteady: isSteady
        )
    }

    static let closedLoopCaveat =
        "closed loop: a worker starts its next access only after the previous one has ended, so a "
        + "stall of any length appears as one slow access, and the percentiles do not show the "
        + "waits of users who arrive during the stall"

    private func result(
        inPhases indices: [Int],
        _ readings: [WorkerRecorder.Reading],
        seconds: [Double],
        countsRunning: Bool = true
    ) -> ClientResult {
        var sum = AccessCounts()
        var all = AccessHistograms()
        var operations: [String: ClientResult] = [:]
        let length = indices.reduce(0) { $0 + seconds[$1] }
        for (operation, name) in plan.operationNames.enumerated() {
            let cells = indices.flatMap { self.cells(inPhase: $0, of: operation) }
            var counts = AccessCounts()
            var histograms = AccessHistograms()
            for cell in cells {
                for reading in readings {
                    counts.add(reading.counts[cell])
                    if reading.running == cell { counts.unfinished += 1 }
                }
                if let total = totals[cell] { histograms.add(total) }
            }
            sum.add(counts)
            all.add(histograms)
            operations[name] = ClientResult(counts, histograms, seconds: length)
        }
        // An arrival has no operation until a worker starts it.
        for reading in readings {
            let unstarted = indices.reduce(0) { $0 + reading.unstarted[$1] }
            sum.offered += unstarted
            sum.unfinished += unstarted
        }
        if !countsRunning {
            sum.offered -= min(sum.offered, sum.unfinished)
            sum.unfinished = 0
        }
        var result = ClientResult(sum, all, seconds: length)
        result.operations = operations
        result.interrupts = plan.interrupts?.status
        result.checkpoints = plan.tally.checkpoints
        result.backupBytes = plan.tally.backupBytes
        return result
    }

    /// The measured response times, or `nil` without accesses.
    var responseTimes: ResponseTimes? {
        var times = ResponseTimes(completed: histograms().response)
        for recorder in recorders {
            if let ages = recorder.read().unfinished { times.unfinished.add(ages) }
        }
        return times.completed.count > 0 || times.unfinished.count > 0 ? times : nil
    }

    func histograms(of operation: Int? = nil) -> AccessHistograms {
        measuredCells(of: operation).reduce(into: AccessHistograms()) { sum, cell in
            if let total = totals[cell] { sum.add(total) }
        }
    }
}

/// A client's recent latencies, for a live view.
///
/// A high percentile needs more samples than one second may provide. A live view therefore covers
/// the last ten seconds and advances once per second.
struct RecentLatencies {
    struct Summaries {
        var response: LatencySummary?
        var wait: LatencySummary?
        var service: LatencySummary?

        init() {}

        fileprivate init(_ histograms: AccessHistograms) {
            response = histograms.response.summary
            wait = histograms.wait.summary
            service = histograms.service.summary
        }
    }

    /// The number of seconds that a live view covers.
    static let length = 10

    private var seconds: [AccessHistograms] = []
    /// The index of the current second in ``seconds``.
    private var current = 0
    private var sum = AccessHistograms()
    /// The summaries of the last second.
    private(set) var second = Summaries()
    /// The summaries of the last ten seconds.
    private(set) var summaries = Summaries()

    /// The response times of the last ten seconds.
    var response: LatencyHistogram { sum.response }

    mutating func startSecond() {
        if seconds.count < Self.length {
            seconds.append(AccessHistograms())
            current = seconds.count - 1
        } else {
            current = (current + 1) % Self.length
            seconds[current].clear()
        }
    }

    mutating func add(_ histograms: AccessHistograms) {
        seconds[current].addEnded(histograms)
    }

    mutating func endSecond() {
        sum.clear()
        for second in seconds { sum.addEnded(second) }
        summaries = Summaries(sum)
        second = Summaries(seconds[current])
    }
}

/// A sliding window that computes the growth rate of a count over about the last second.
struct RateWindow {
    private var points: [(time: Double, count: UInt64)] = []

    /// Records a count at the given time, in seconds, and returns the growth per second.
    mutating func recordCount(_ count: UInt64, at time: Double) -> Double {
        // Time does not advance while the load is paused, so keep only the latest point.
        if points.last?.time == time { points.removeLast() }
        points.append((time, count))
        while points.count > 2, time - points[1].time >= 0.999 { points.removeFirst() }
        guard let first = points.first, time > first.time, count >= first.count else { return 0 }
        return Double(count - first.count) / (time - first.time)
    }
}
