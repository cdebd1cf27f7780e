import Foundation
import Telemetry

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
    var settings: ClientKnobs.Settings
    private(set) var seenEpoch: UInt64
    /// The earliest clock time of the next processor time measurement.
    var nextSample: UInt64 = 0
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
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
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
            guard let turn = awaitTurn(moment) else {
                countUnstarted(moment)
                break
            }
            perform(turn)
        }
        countRemainingArrivals()
    }

    /// Returns the load time of the next access, or `nil` if no further access may start.
    @inline(__always)
    func nextMoment() -> UInt64? { model.next(freeAt: control.loadTime(of: clock.now())) }

    @inline(__always)
    func updateSettings() {
        guard plan.knobs.epoch != seenEpoch else { return }
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
    }

    enum Action {
        case turn(Turn)
        case settingsChanged
        /// Sleep until a clock time, then check again.
        case sleep(UInt64)
        case over
    }

    func surplusAction() -> Action {
        guard plan.knobs.epoch == seenEpoch else { return .settingsChanged }
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
        recorder.countUnstarted(in: phases.place(at: moment))
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
            if plan.knobs.epoch != wait.epoch {
                wait.epoch = plan.knobs.epoch
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
                performBatches(turn, driver)
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
