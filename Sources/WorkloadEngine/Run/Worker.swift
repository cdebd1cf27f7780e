import Foundation
import Telemetry

/// One of a client's workers: a thread that waits for its turns and makes its accesses.
///
/// Only its own thread uses it, from ``run()`` on; others reach its recorder and its sleeper.
final class Worker {
    /// A turn to make an access.
    struct Turn {
        /// The intended start on the clock.
        var intended: UInt64
        /// The phase that it lies in.
        var phase: PhasePlan.Place
        /// Whether there is a schedule that the start can lag behind.
        var isScheduled: Bool
        /// Whether the worker waited for the moment.
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
    let holders: LockHolders?
    /// The closures of a load test; nil where accesses are made of statements.
    let closures: ClosureTarget?
    let alarm: AlarmClock?
    let folder: URL?
    var values: StatementValues
    var random: RandomStream
    private var model: any LoadModel
    /// Its number among its client's workers, from 0.
    let index: Int
    /// How its client's knobs stood when it last looked.
    var settings: ClientKnobs.Settings
    private(set) var seenEpoch: UInt64
    /// When the processor time of an access is looked at next, on the clock.
    var nextSample: UInt64 = 0
    /// Whether the running access was given up because the run ends.
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
        closures = context.target as? ClosureTarget
        events = context.events
        stability = context.stability
        alarm = context.alarm
        folder = context.folder
        self.recorder = recorder
        self.sleeper = sleeper
        self.values = values
        self.random = random
        self.index = index
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
        // A copy of the mix's stream would repeat its numbers.
        var seeds = random
        model = plan.makeLoadModel(
            context.phases,
            random: RandomStream(seed: seeds.next(), stream: "think", worker: index)
        )
    }

    /// Makes accesses until the load is over.
    func run() {
        while !isAbandoned {
            lookAtKnobsIfTurned()
            if index >= settings.workers {
                guard rest() else { break }
                continue
            }
            guard let moment = nextMoment() else { return }
            guard let turn = awaitTurn(moment) else {
                leave(moment)
                break
            }
            perform(turn)
        }
        leaveRest()
    }

    /// The moment of the next access, in load time; nil when none comes any more.
    @inline(__always)
    func nextMoment() -> UInt64? { model.next(freeAt: control.loadTime(of: clock.now())) }

    /// Takes over what somebody turned since the last look.
    @inline(__always)
    func lookAtKnobsIfTurned() {
        guard plan.knobs.epoch != seenEpoch else { return }
        seenEpoch = plan.knobs.epoch
        settings = plan.knobs.read()
    }

    /// What who waits has to do.
    enum Patience {
        /// Its turn has come.
        case turn(Turn)
        /// Somebody turned a knob.
        case turned
        /// Wait until a time of the clock, then look again.
        case sleep(UInt64)
        /// The load is over.
        case over
    }

    /// What a worker does of which its client has enough.
    func resting() -> Patience {
        guard plan.knobs.epoch == seenEpoch else { return .turned }
        switch control.stage {
        case .stopped, .sealed: return .over
        case .paused: return .sleep(.max)
        case .running:
            let end = control.clockTime(of: phases.end)
            return clock.now() < end ? .sleep(end) : .over
        }
    }

    /// Waits while its client has enough workers without it; false when the load is over.
    private func rest() -> Bool {
        while true {
            switch resting() {
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .turned: return true
            case .over, .turn: return false
            }
        }
    }

    /// Counts an arrival whose turn never came as unfinished, if it was due.
    func leave(_ moment: UInt64) {
        guard model.isScheduled, moment <= control.stopTime, moment < phases.end else { return }
        recorder.leave(in: phases.place(at: moment))
    }

    /// Counts the arrivals that were due when the load stopped and that nobody took.
    func leaveRest() {
        guard model.isScheduled else { return }
        let now = control.loadTime(of: clock.now())
        let end = min(control.stopTime, now)
        while let moment = model.next(freeAt: now), moment <= end {
            leave(moment)
        }
    }

    /// A wait for a moment.
    struct Waiting {
        /// The moment, in load time.
        var moment: UInt64
        /// The changes of knobs that it knows.
        var epoch: UInt64
        /// Whether the worker had to wait.
        var wasFree = false
    }

    /// What who waits for a moment has to do now.
    @inline(__always)
    func look(_ waiting: inout Waiting) -> Patience {
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
                // What comes at the end or later comes never.
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

    /// Waits for a moment of load time; nil when the run ends before.
    private func awaitTurn(_ moment: UInt64) -> Turn? {
        var waiting = Waiting(moment: moment, epoch: seenEpoch)
        while true {
            switch look(&waiting) {
            case .turn(let turn): return turn
            case .sleep(let deadline): sleeper.sleep(until: deadline)
            case .over, .turned: return nil
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

    /// Draws an operation: each as often as its weight says.
    @inline(__always)
    func drawOperation() -> Int {
        let sums = settings.cumulativeWeights
        guard sums.count > 1, let total = sums.last else { return 0 }
        let point = random.nextUnit() * total
        return sums.firstIndex { point < $0 } ?? sums.count - 1
    }

    /// Waits as long as a hold lasts that began at `start`; the end of the run ends it early.
    ///
    /// - Returns: Whether the whole time passed. If not, the access is abandoned.
    func hold(from start: UInt64) -> Bool {
        while true {
            lookAtKnobsIfTurned()
            let deadline = start.addingReportingOverflow(settings.holdTime).partialValue
            let now = clock.now()
            guard now < deadline else { return true }
            guard control.stage < .stopped else { break }
            // A hold that cannot end within the drain ends with the load: nobody waits in vain.
            let end = control.clockTime(of: phases.end)
            let canEnd = deadline <= end.addingReportingOverflow(phases.drain).partialValue
            guard canEnd || now < end else { break }
            sleeper.sleep(until: canEnd ? deadline : min(deadline, end))
        }
        isAbandoned = true
        return false
    }
}
