import Foundation
import Scenarios
import Telemetry
import Text

/// A worker that waits for its turns and performs accesses.
///
/// After ``run()`` starts, only the worker's thread uses this object. Other threads use only the
/// recorder and the sleeper.
final class Worker {
    struct Turn {
        /// The clock time of the intended start.
        var intended: UInt64
        var phase: PhasePlan.Place
        /// Whether the turn follows a schedule and can therefore start late.
        var isScheduled: Bool
        /// Whether the worker was free before the intended start.
        var wasFree: Bool
    }

    let plan: ClientPlan
    let phases: PhasePlan
    let control: RunControl
    let clock: any RunClock
    let target: any WorkloadTarget
    let recorder: WorkerRecorder
    let sleeper: any Sleeper
    let events: EventLog
    let stability: StabilityLog
    let interrupts: InterruptRequests
    let holders: LockHolders?
    let busy: BusyRecord
    let errorMessages: ErrorMessages
    /// The load test's closures, or `nil` if accesses run statements.
    let closures: ClosureTarget?
    let alarm: AlarmClock?
    let folder: URL?
    /// The worker's part of a driver, or `nil` if its accesses use the target.
    let driver: DriverPart?
    var values: StatementValues
    var random: RandomStream
    private var model: any LoadModel
    let index: Int
    var settings: ClientSettings.Values
    private(set) var seenEpoch: UInt64
    /// The earliest clock time of the next processor time measurement.
    var nextSample: UInt64 = 0
    /// The times by which pauses in each operation have been too long so far, in nanoseconds.
    var pauseDelays: [UInt64]
    var isAbandoned = false

    init(
        plan: ClientPlan,
        index: Int = 0,
        context: RunContext,
        target: (any WorkloadTarget)? = nil,
        driver: DriverTarget.Assignment? = nil,
        recorder: WorkerRecorder,
        sleeper: any Sleeper,
        values: StatementValues,
        random: RandomStream
    ) {
        self.plan = plan
        phases = context.phases
        control = context.control
        clock = context.clock
        self.target = target ?? context.target
        holders = context.holders
        busy = context.busy
        errorMessages = context.errorMessages
        busy.add(recorder, of: plan.name.name)
        closures = context.target as? ClosureTarget
        events = context.events
        stability = context.stability
        interrupts = context.interrupts
        alarm = context.alarm
        folder = context.folder
        self.driver = driver.map { DriverPart($0, plan) }
        self.recorder = recorder
        self.sleeper = sleeper
        self.values = values
        self.random = random
        self.index = index
        pauseDelays = Array(repeating: 0, count: plan.steps.count)
        seenEpoch = plan.settings.epoch
        settings = plan.settings.read()
        // Think times need a separate stream, because a copy would repeat the random numbers of
        // the mix.
        var seeds = random
        model = plan.makeLoadModel(
            context.phases,
            random: RandomStream(seed: seeds.next(), stream: "think", worker: index)
        )
    }

    func run() {
        while !isAbandoned {
            updateSettings()
            if index >= settings.workers {
                guard waitWhileSurplus() else { break }
                continue
            }
            guard let moment = nextMoment() else { return }
            guard let next = awaitTurn(moment), let turn = sharing(next, at: moment) else {
                countUnstarted(moment)
                break
            }
            perform(turn)
            plan.turns?.end()
        }
        countRemainingArrivals()
    }

    /// Returns the load time of the next access, or `nil` if no further access may start.
    @inline(__always)
    func nextMoment() -> UInt64? { model.next(freeAt: control.loadTime(of: clock.now())) }

    @inline(__always)
    func updateSettings() {
        guard plan.settings.epoch != seenEpoch else { return }
        seenEpoch = plan.settings.epoch
        settings = plan.settings.read()
    }

    enum Action {
        case turn(Turn)
        case settingsChanged
        /// Sleep until a clock time, then check again.
        case sleep(UInt64)
        case over
    }

    func surplusAction() -> Action {
        guard plan.settings.epoch == seenEpoch else { return .settingsChanged }
        switch control.stage {
        case .stopped, .sealed: return .over
        case .paused: return .sleep(.max)
        case .running:
            let end = control.clockTime(of: phases.end)
            return clock.now() < end ? .sleep(end) : .over
        }
    }

    /// Waits while the worker is surplus.
    ///
    /// - Returns: `true` if the settings changed, or `false` if the load is over.
    private func waitWhileSurplus() -> Bool {
        while true {
            switch surplusAction() {
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .settingsChanged: return true
            case .over, .turn: return false
            }
        }
    }

    /// Counts a scheduled access that the worker did not start, if the access was due.
    func countUnstarted(_ moment: UInt64) {
        guard model.isScheduled, moment <= control.stopTime, moment < phases.end else { return }
        let now = control.loadTime(of: clock.now())
        recorder.countUnstarted(in: phases.place(at: moment), age: now &- min(now, moment))
    }

    /// Counts the arrivals that were due before the load stopped, but that no worker started.
    func countRemainingArrivals() {
        guard model.isScheduled else { return }
        let now = control.loadTime(of: clock.now())
        let end = min(control.stopTime, now)
        while let moment = model.next(freeAt: now), moment <= end {
            countUnstarted(moment)
        }
    }

    /// A worker's wait for a turn.
    struct TurnWait {
        /// The load time of the turn.
        var moment: UInt64
        /// The epoch of the settings that determined `moment`.
        var epoch: UInt64
        /// Whether the worker was free before the turn.
        var wasFree = false
    }

    @inline(__always)
    func nextAction(_ wait: inout TurnWait) -> Action {
        switch control.stage {
        case .stopped, .sealed:
            return .over
        case .paused:
            return .sleep(.max)
        case .running:
            if plan.settings.epoch != wait.epoch {
                wait.epoch = plan.settings.epoch
                wait.moment = model.rescheduled(wait.moment)
            }
            let moment = wait.moment
            let intended = control.clockTime(of: min(moment, phases.end))
            guard clock.now() < intended else {
                // An access at or after the end never starts.
                guard moment < phases.end else { return .over }
                return .turn(
                    Turn(
                        intended: intended,
                        phase: phases.place(at: moment),
                        isScheduled: model.isScheduled,
                        wasFree: wait.wasFree
                    )
                )
            }
            wait.wasFree = true
            return .sleep(intended)
        }
    }

    /// Waits for a load time.
    ///
    /// - Returns: The turn, or `nil` if the run ends first.
    private func awaitTurn(_ moment: UInt64) -> Turn? {
        var wait = TurnWait(moment: moment, epoch: seenEpoch)
        while true {
            switch nextAction(&wait) {
            case .turn(let turn): return turn
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .over, .settingsChanged: return nil
            }
        }
    }

    private func perform(_ turn: Turn) {
        switch plan.client.activity {
        case .operations:
            if let driver, mayBatch {
                performBatches(turn, driver: driver)
            } else {
                performOperation(turn)
            }
        case .hold: performHold(turn)
        case .snapshot: performSnapshot(turn)
        case .importRows(let count, let batch, _): performImport(turn, rows: count, batch: batch)
        case .interrupt: performInterrupt(turn)
        case .action(let action): perform(action, turn)
        }
    }

    @inline(__always)
    func drawOperation() -> Int {
        let sums = settings.cumulativeWeights
        guard sums.count > 1, let total = sums.last else { return 0 }
        let point = random.nextUnit() * total
        return sums.firstIndex { point < $0 } ?? sums.count - 1
    }

    /// Waits until a hold that started at `start` is over.
    ///
    /// - Returns: `true`, or `false` if the run ended the hold early. In that case, the access is
    ///   abandoned.
    func hold(from start: UInt64) -> Bool {
        while true {
            updateSettings()
            let deadline = start.addingReportingOverflow(settings.holdTime).partialValue
            let now = clock.now()
            guard now < deadline else { return true }
            guard control.stage < .stopped else { break }
            // If the hold would last beyond the drain, end the hold when the load ends.
            let end = control.clockTime(of: phases.end)
            let canEnd = deadline <= end.addingReportingOverflow(phases.drain).partialValue
            guard canEnd || now < end else { break }
            sleeper.sleep(until: canEnd ? deadline : min(deadline, end))
        }
        isAbandoned = true
        return false
    }
}

extension Worker {
    func performInterrupt(_ turn: Turn) {
        access(0, turn) { attempt in
            attempt.entry = clock.now()
            interrupts.send { target.interrupt() }
            events.note("\(plan.name.name) interrupted every statement")
        }
    }

    func perform(_ action: ClientAction, _ turn: Turn) {
        switch action {
        case .interrupt(let client):
            access(0, turn) { attempt in
                let now = clock.now()
                attempt.entry = now
                plan.interruptTarget?.interruptAll(at: now)
                events.note("\(plan.name.name) interrupted \(client)")
            }
        case .interruptConnection(let label):
            access(0, turn) { attempt in
                attempt.entry = clock.now()
                guard interrupts.send({ target.interrupt(connection: label) }) else {
                    events.note("there is no connection \(label) to interrupt", severity: .warning)
                    return
                }
                events.note("\(plan.name.name) interrupted \(label)")
            }
        case .checkpoint(let mode): performCheckpoint(mode, turn: turn)
        case .backup(let pages): performBackup(pages, turn: turn)
        }
    }

    private func performCheckpoint(_ mode: CheckpointMode, turn: Turn) {
        access(0, turn) { attempt in
            var start = clock.now()
            let result = try Checkpoint.run(mode, on: target, as: plan.name) {
                start = clock.now()
                attempt.entry = start
            }
            plan.tally.count(result)
            if result.isBlocked {
                let time = clock.now() &- start
                countBlocked(mode, for: time, isMeasured: turn.phase.isMeasured)
            }
            events.note(
                "\(plan.name.name) ran a \(mode.rawValue) checkpoint: \(result)",
                severity: result.isBlocked ? .warning : .info
            )
        }
    }

    private func performBackup(_ pages: Int, turn: Turn) {
        guard let folder else { return }
        let file = folder.appendingPathComponent("backup-\(plan.name.name)-\(index).sqlite")
        defer { try? FileManager.default.removeItem(at: file) }
        var isComplete = false
        access(0, turn) { attempt in
            attempt.entry = clock.now()
            try target.backup(to: file.path, pagesPerStep: pages, as: plan.name) { _ in
                // Stop the backup when the run stops, because a backup may take a long time.
                if self.control.stage >= .stopped { throw RunningAccess.Superseded() }
            }
            isComplete = true
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size]) as? Int
        guard isComplete, let size else { return }
        plan.tally.countBackup(bytes: UInt64(size))
        events.note("\(plan.name.name) made a backup of \(HumanUnits.exact(UInt64(size), "byte"))")
    }

    /// Classifies an attempt that found the database busy.
    ///
    /// - Returns: The failure to add to the ledger, or `nil` to add none.
    func busyFailure(
        _ code: String,
        with error: any Error,
        isRetried: Bool,
        isMeasured: Bool
    ) -> BusyLedger.Failure? {
        let process = lockHolder()
        // In a load test, the wait for a lock is unknown.
        guard isMeasured, closures == nil else { return nil }
        let details = target.busyFailure(of: error) ?? BusyFailure()
        let timeout = busy.timeout
        guard let cause = BusyCause(code: code, handler: details.handler, timeout: timeout) else {
            return nil
        }
        var failure = BusyLedger.Failure(cause: cause, client: plan.name.name, code: code)
        failure.statement = details.statement
        failure.timeout = timeout
        failure.isRetried = isRetried
        switch details.handler {
        case .unknown: break
        case .skipped: failure.waited = 0
        case .gaveUp(let waited, let limit):
            failure.waited = waited
            failure.timeout = limit ?? timeout
        }
        failure.holder = details.holder ?? process ?? busy.longestRunning(except: recorder, cause)
        return failure
    }

    /// Counts a blocked checkpoint that lasted `time` nanoseconds.
    func countBlocked(_ mode: CheckpointMode, for time: UInt64, isMeasured: Bool) {
        guard isMeasured, control.stage < .sealed else { return }
        var failure = BusyLedger.Failure(cause: .checkpoint, client: plan.name.name)
        failure.statement = mode.sql
        failure.waited = mode == .passive ? 0 : time
        failure.timeout = busy.timeout
        failure.holder = busy.longestRunning(except: recorder, .checkpoint)
        busy.ledger.add(failure)
    }

    /// Returns the holder of the lock, or `nil` if the holder is unknown.
    ///
    /// The holder is a process, or a client if this process holds the lock.
    private func lockHolder() -> String? {
        guard let holders else { return nil }
        let process = (target as? RemoteTarget)?.processIdentifier ?? getpid()
        let (holder, isNew) = holders.countBusy(in: process, at: clock.now())
        if isNew {
            events.note(
                "\(plan.name.name): the database is locked by \(holder)",
                severity: .warning
            )
        }
        switch holder {
        case LockHolders.unknown: return nil
        case LockHolders.thisProcess: return busy.writingClient() ?? holder
        default: return holder
        }
    }

    /// Inserts rows in batches.
    ///
    /// Each batch is a separate access and transaction. The first batch uses the turn's intended
    /// start. Each later batch starts after the previous one ends. If the load ends, no further
    /// batches start.
    func performImport(_ turn: Turn, rows: Int, batch: Int) {
        var turn = turn
        var rest = rows
        events.note("\(plan.name.name) imports \(HumanUnits.exact(UInt64(max(rows, 0)), "row"))")
        while rest > 0, !isAbandoned {
            let size = min(max(1, batch), rest)
            performBatch(turn, rows: size)
            rest -= size
            let now = clock.now()
            let moment = control.loadTime(of: now)
            guard rest > 0, waitWhilePaused(), moment < phases.end else { return }
            turn = Turn(
                intended: now,
                phase: phases.place(at: moment),
                isScheduled: false,
                wasFree: false
            )
        }
    }

    private func performBatch(_ turn: Turn, rows: Int) {
        let statements = plan.operations[0]
        access(0, turn) { attempt in
            try target.perform(.write, as: plan.name) { session in
                attempt.entry = clock.now()
                for _ in 0..<rows {
                    values.begin()
                    for statement in statements {
                        try session.run(statement.sql, values.values(of: statement))
                    }
                }
            }
        }
    }

    /// Waits until the load resumes.
    ///
    /// - Returns: `true` if the load is running, or `false` if the load is over.
    private func waitWhilePaused() -> Bool {
        while true {
            switch control.stage {
            case .running: return true
            case .paused: sleeper.sleep(until: .max)
            case .stopped, .sealed: return false
            }
        }
    }

    func performSnapshot(_ turn: Turn) {
        values.begin()
        let statements = plan.operations[0].map { statement in
            StateDigest.Query(sql: statement.sql, values: values.values(of: statement))
        }
        access(0, turn) { attempt in
            let snapshot = try target.makeSnapshot(as: plan.name)
            defer { snapshot.release() }
            let entry = clock.now()
            attempt.entry = entry
            if plan.isHoldNoteworthy { events.note("\(plan.name.name) took a snapshot") }
            let first = try StateDigest(of: snapshot, queries: statements)
            guard hold(from: entry) else { return }
            stability.record(
                by: plan.name.name,
                isStable: try StateDigest(of: snapshot, queries: statements) == first
            )
            if plan.isHoldNoteworthy { events.note("\(plan.name.name) released its snapshot") }
        }
    }

    /// Performs a read, then holds the connection and keeps its transaction open for the hold time.
    func performHold(_ turn: Turn) {
        let statements = plan.operations[0]
        values.begin()
        access(0, turn) { attempt in
            try target.perform(.read, as: plan.name) { session in
                let entry = clock.now()
                attempt.entry = entry
                for statement in statements {
                    try session.run(statement.sql, values.values(of: statement))
                }
                if plan.isHoldNoteworthy { events.note("\(plan.name.name) holds its connection") }
                _ = hold(from: entry)
            }
        }
    }
}
