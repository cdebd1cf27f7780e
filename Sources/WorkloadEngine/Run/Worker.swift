import Foundation
import Telemetry

/// A client's worker, which waits for its turns and makes accesses.
///
/// After ``run()`` starts, only the worker's thread uses this object. Other threads use its
/// recorder and sleeper.
final class Worker {
    /// A turn to make an access.
    struct Turn {
        /// The intended start on the clock.
        var intended: UInt64
        /// The phase of the intended start.
        var phase: PhasePlan.Place
        /// Whether the turn follows a schedule, which means that its start can lag.
        var isScheduled: Bool
        /// Whether the worker was waiting for the turn.
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
    var values: StatementValues
    var random: RandomStream
    private var model: any LoadModel
    /// The worker's number within its client, starting at 0.
    let index: Int
    /// The client's settings at the last update.
    var settings: ClientKnobs.Settings
    private(set) var seenEpoch: UInt64
    /// The clock time after which the next access measures its processor time.
    var nextSample: UInt64 = 0
    /// Whether the running access was abandoned because the run is ending.
    var isAbandoned = false

    init(
        plan: ClientPlan,
        index: Int = 0,
        context: RunContext,
        target: (any WorkloadTarget)? = nil,
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
        self.recorder = recorder
        self.sleeper = sleeper
        self.values = values
        self.random = random
        self.index = index
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
        // Think times need their own stream, because a copy would repeat the mix's numbers.
        var seeds = random
        model = plan.makeLoadModel(
            context.phases,
            random: RandomStream(seed: seeds.next(), stream: "think", worker: index)
        )
    }

    /// Makes accesses until the load is over.
    func run() {
        while !isAbandoned {
            updateSettings()
            if index >= settings.workers {
                guard rest() else { break }
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

    /// Returns the load time of the next access, or `nil` after the last one.
    @inline(__always)
    func nextMoment() -> UInt64? { model.next(freeAt: control.loadTime(of: clock.now())) }

    /// Updates the settings if they have changed since the last update.
    @inline(__always)
    func updateSettings() {
        guard plan.knobs.epoch != seenEpoch else { return }
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
    }

    /// What a waiting worker should do next.
    enum Action {
        /// Take its turn.
        case turn(Turn)
        /// Update its settings, which have changed.
        case settingsChanged
        /// Sleep until a clock time, then check again.
        case sleep(UInt64)
        /// The load is over.
        case over
    }

    /// Returns what a surplus worker should do next.
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
    /// - Returns: `false` when the load is over.
    private func rest() -> Bool {
        while true {
            switch surplusAction() {
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .settingsChanged: return true
            case .over, .turn: return false
            }
        }
    }

    /// Counts as unfinished an arrival that is due but that the worker does not start.
    func countUnstarted(_ moment: UInt64) {
        guard model.isScheduled, moment <= control.stopTime, moment < phases.end else { return }
        recorder.countUnstarted(in: phases.place(at: moment))
    }

    /// Counts the due arrivals that no worker had taken when the load stopped.
    func countRemainingArrivals() {
        guard model.isScheduled else { return }
        let now = control.loadTime(of: clock.now())
        let end = min(control.stopTime, now)
        while let moment = model.next(freeAt: now), moment <= end {
            countUnstarted(moment)
        }
    }

    /// A wait for a turn.
    struct Waiting {
        /// The load time of the turn.
        var moment: UInt64
        /// The epoch of the settings that determined the time.
        var epoch: UInt64
        /// Whether the worker had to wait.
        var wasFree = false
    }

    /// Returns what a waiting worker should do next.
    @inline(__always)
    func nextAction(_ waiting: inout Waiting) -> Action {
        switch control.stage {
        case .stopped, .sealed:
            return .over
        case .paused:
            return .sleep(.max)
        case .running:
            if plan.knobs.epoch != waiting.epoch {
                waiting.epoch = plan.knobs.epoch
                waiting.moment = model.steered(waiting.moment)
            }
            let moment = waiting.moment
            let intended = control.clockTime(of: min(moment, phases.end))
            guard clock.now() < intended else {
                // An access at or after the end never starts.
                guard moment < phases.end else { return .over }
                return .turn(
                    Turn(
                        intended: intended,
                        phase: phases.place(at: moment),
                        isScheduled: model.isScheduled,
                        wasFree: waiting.wasFree
                    )
                )
            }
            waiting.wasFree = true
            return .sleep(intended)
        }
    }

    /// Waits for a load time.
    ///
    /// Returns `nil` if the run ends first.
    private func awaitTurn(_ moment: UInt64) -> Turn? {
        var waiting = Waiting(moment: moment, epoch: seenEpoch)
        while true {
            switch nextAction(&waiting) {
            case .turn(let turn): return turn
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .over, .settingsChanged: return nil
            }
        }
    }

    private func perform(_ turn: Turn) {
        switch plan.client.activity {
        case .operations: performOperation(turn)
        case .hold: performHold(turn)
        case .snapshot: performSnapshot(turn)
        case .importRows(let count, let batch, _): performImport(turn, rows: count, batch: batch)
        case .interrupt: performInterrupt(turn)
        case .action(let action): perform(action, turn)
        }
    }

    /// Draws an operation in proportion to the weights.
    @inline(__always)
    func drawOperation() -> Int {
        let sums = settings.cumulativeWeights
        guard sums.count > 1, let total = sums.last else { return 0 }
        let point = random.nextUnit() * total
        return sums.firstIndex { point < $0 } ?? sums.count - 1
    }

    /// Waits until a hold that started at `start` is over.
    ///
    /// The hold ends early if the run ends.
    ///
    /// - Returns: Whether the hold lasted its full time. If not, the access is abandoned.
    func hold(from start: UInt64) -> Bool {
        while true {
            updateSettings()
            let deadline = start.addingReportingOverflow(settings.holdTime).partialValue
            let now = clock.now()
            guard now < deadline else { return true }
            guard control.stage < .stopped else { break }
            // A hold that cannot end within the drain ends with the load.
            let end = control.clockTime(of: phases.end)
            let canEnd = deadline <= end.addingReportingOverflow(phases.drain).partialValue
            guard canEnd || now < end else { break }
            sleeper.sleep(until: canEnd ? deadline : min(deadline, end))
        }
        isAbandoned = true
        return false
    }
}
