#if os(Linux)
import Glibc
import Telemetry

extension WatchSession {
    /// Samples all databases now and reads `/proc/locks`.
    ///
    /// - Parameter weight: The time that the sample represents, in nanoseconds.
    func takeSample(weight: Double) {
        let now = monotonicNanoseconds()
        let meter = Meter(helper)
        processes.checkNanoseconds = 0
        let probesReaders = isProbeDue(at: now)
        let samples = targets.indices.map { number in
            helper.sample(slot: UInt8(number), probesReaders: probesReaders, at: now)
        }
        identify(samples)
        let beforeList = SystemClock.thread
        let list = list.locks(on: Set(targets.flatMap(\.inodes)))
        let moment = WatchTarget.Moment(
            now: now,
            weight: weight,
            listWeight: weight,
            probesReaders: probesReaders,
            isPresent: true
        )
        observe(samples, list: list, at: moment)
        charge(meter, samples: 1, listCost: SystemClock.thread &- beforeList, lists: 1)
        proceed(at: now)
    }

    private struct Plan {
        var time: UInt64
        var weight: Double
        /// The time that the sample represents among the samples that read `/proc/locks`, or 0 if
        /// this sample does not read the list.
        var listWeight: Double
    }

    /// Takes samples of all databases until `end`.
    ///
    /// Some samples include `/proc/locks`.
    func takeBatch(until end: UInt64, at now: UInt64) {
        if !targets.allSatisfy(\.isIdentified) { takeSample(weight: 0) }
        let meter = Meter(helper)
        processes.checkNanoseconds = 0
        let plans = plan(until: end, at: now)
        let probesReaders = isProbeDue(at: now)
        helper.sendBatch(
            moments: plans.map { .init(time: $0.time, readsList: $0.listWeight > 0) },
            probesReaders: probesReaders,
            at: now
        )
        if !helper.isRunning { SystemClock.sleep(until: plans.last?.time ?? now) }
        let batch = helper.receiveBatch(moments: plans.count, at: monotonicNanoseconds())
        var listCost = batch.listNanoseconds
        var first = 0
        for entry in batch.entries {
            let covered = plans[first...entry.moment]
            let list = entry.locks
            let moment = WatchTarget.Moment(
                now: entry.time,
                weight: covered.reduce(0) { $0 + $1.weight },
                listWeight: list == nil ? 0 : covered.reduce(0) { $0 + $1.listWeight },
                probesReaders: probesReaders && first == 0,
                isPresent: entry == batch.entries.last
            )
            identify(entry.samples)
            let before = list == nil ? 0 : SystemClock.thread
            observe(entry.samples, list: list, at: moment)
            if list != nil { listCost &+= SystemClock.thread &- before }
            first = entry.moment + 1
        }
        charge(
            meter,
            samples: batch.entries.count,
            listCost: listCost,
            lists: batch.entries.count { $0.locks != nil }
        )
        proceed(at: monotonicNanoseconds())
    }

    private func plan(until end: UInt64, at now: UInt64) -> [Plan] {
        var plans: [Plan] = []
        while schedule.plannedTime < end, plans.count < HelperRequest.momentLimit {
            let readsList = lists.next(group: budget.group)
            plans.append(
                Plan(
                    time: schedule.plannedTime,
                    weight: schedule.weight,
                    listWeight: readsList ? schedule.weight * Double(lists.group) : 0
                )
            )
            schedule.advance(at: max(now, schedule.plannedTime), slot: budget.slot)
        }
        return plans
    }

    private func isProbeDue(at now: UInt64) -> Bool {
        guard now >= nextProbeTime else { return false }
        nextProbeTime = now &+ Self.probePause
        return true
    }

    private func identify(_ samples: [FileSample]) {
        for (number, sample) in samples.enumerated() {
            targets[number].identify(sample, number: number, in: &processes)
        }
    }

    private func observe(_ samples: [FileSample], list: [FileLock]?, at moment: WatchTarget.Moment)
    {
        for (number, sample) in samples.enumerated() {
            targets[number].observe(sample, list: list, at: moment, number: number, in: &processes)
        }
        hasList = list != nil
    }

    /// The processor times at the start of a sample, in nanoseconds.
    private struct Meter {
        var thread = SystemClock.thread
        var helper: UInt64

        init(_ helper: HelperConnection) { self.helper = helper.nanoseconds }
    }

    /// Charges the cost of samples to the budget.
    ///
    /// The cost excludes starting the helper, scanning processes, and checking for waiting threads.
    private func charge(_ meter: Meter, samples: Int, listCost: UInt64, lists: Int) {
        if helper.hasRestarted { processes.scan.exclude(helper.process) }
        let helperCost = isFirstSample ? 0 : helper.nanoseconds &- meter.helper
        isFirstSample = false
        let all = helperCost &+ (SystemClock.thread &- meter.thread)
        let other = listCost &+ processes.checkNanoseconds
        budget.add(
            cost: all &- min(all, other),
            of: samples,
            listCost: listCost,
            of: lists
        )
    }

    /// Continues the process scan and the table counts.
    func proceed(at now: UInt64) {
        processes.proceed(at: now)
        if var tables {
            self.tables = nil
            tables.proceed(at: now) { targets[$0].hasLog }
            processes.scan.exclude(tables.process)
            self.tables = tables
        }
    }
}
#endif
