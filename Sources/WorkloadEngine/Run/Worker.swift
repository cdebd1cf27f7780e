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
    var values: StatementValues
    var random: RandomStream
    private var model: any LoadModel
    /// Its number among its client's workers, from 0.
    let index: Int
    /// How its client's knobs stood when it last looked.
    var settings: ClientKnobs.Settings
    private var epoch: UInt64
    /// Whether the running access was given up because the run ends.
    var isAbandoned = false

    init(
        plan: ClientPlan,
        index: Int = 0,
        context: RunContext,
        recorder: WorkerRecorder,
        sleeper: any Sleeper,
        values: StatementValues,
        random: RandomStream
    ) {
        self.plan = plan
        phases = context.phases
        control = context.control
        clock = context.clock
        target = context.target
        events = context.events
        stability = context.stability
        self.recorder = recorder
        self.sleeper = sleeper
        self.values = values
        self.random = random
        self.index = index
        epoch = plan.knobs.epoch
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
            if plan.knobs.epoch != epoch { lookAtKnobs() }
            if index >= settings.workers {
                guard rest() else { break }
                continue
            }
            guard let moment = model.next(freeAt: control.loadTime(of: clock.now())) else { return }
            guard let turn = awaitTurn(moment) else {
                leave(moment)
                break
            }
            perform(turn)
        }
        leaveRest()
    }

    private func lookAtKnobs() {
        epoch = plan.knobs.epoch
        settings = plan.knobs.read()
    }

    /// Waits while its client has enough workers without it; false when the load is over.
    private func rest() -> Bool {
        while plan.knobs.epoch == epoch {
            guard control.stage < .stopped else { return false }
            let end = control.clockTime(of: phases.end)
            guard control.stage == .paused || clock.now() < end else { return false }
            sleeper.sleep(until: control.stage == .paused ? .max : end)
        }
        return true
    }

    /// Counts an arrival whose turn never came as unfinished, if it was due.
    private func leave(_ moment: UInt64) {
        guard model.isScheduled, moment <= control.stopTime, moment < phases.end else { return }
        recorder.leave(in: phases.place(at: moment))
    }

    /// Counts the arrivals that were due when the load stopped and that nobody took.
    private func leaveRest() {
        guard model.isScheduled else { return }
        let now = control.loadTime(of: clock.now())
        let end = min(control.stopTime, now)
        while let moment = model.next(freeAt: now), moment <= end {
            leave(moment)
        }
    }

    /// Waits for a moment of load time; nil when the run ends before.
    private func awaitTurn(_ moment: UInt64) -> Turn? {
        var moment = moment
        var wasFree = false
        var seen = epoch
        while true {
            switch control.stage {
            case .stopped, .sealed:
                return nil
            case .paused:
                sleeper.sleep(until: .max)
            case .running:
                if plan.knobs.epoch != seen {
                    seen = plan.knobs.epoch
                    moment = model.steered(moment)
                }
                let intended = control.clockTime(of: min(moment, phases.end))
                guard clock.now() < intended else {
                    // What comes at the end or later comes never.
                    guard moment < phases.end else { return nil }
                    return Turn(
                        intended: intended,
                        phase: phases.place(at: moment),
                        isScheduled: model.isScheduled,
                        wasFree: wasFree
                    )
                }
                wasFree = true
                sleeper.sleep(until: intended)
            }
        }
    }

    private func perform(_ turn: Turn) {
        switch plan.client.activity {
        case .operations(let access, _): performOperation(access, turn)
        case .hold: performHold(turn)
        case .snapshot: performSnapshot(turn)
        case .importRows(let count, let batch, _): performImport(turn, rows: count, batch: batch)
        case .interrupt: performInterrupt(turn)
        }
    }

    /// What an attempt tells about itself.
    struct Attempt {
        // Unsafe: an attempt is a local variable of the worker that owns the recorder, and a
        // counted reference would cost each access two atomic operations.
        fileprivate unowned(unsafe) let recorder: WorkerRecorder

        /// When the closure was entered, on the clock; nil when it was not.
        var entry: UInt64? {
            didSet { if let entry { recorder.enter(at: entry) } }
        }
    }

    /// Makes one access: skips it when it is too late, times it, tries again when the database is
    /// busy, and counts how it ended.
    ///
    /// - Parameters:
    ///   - operation: The index of its operation.
    ///   - turn: Its turn.
    ///   - attempt: Makes the access and stamps the entry into its closure.
    @inline(__always)
    func access(
        _ operation: Int,
        _ turn: Turn,
        _ attempt: (inout Attempt) throws -> Void
    ) {
        var start = clock.now()
        let lag = start > turn.intended ? start - turn.intended : 0
        if let limit = plan.skipAfter, lag > limit {
            recorder.skip(operation, in: turn.phase)
            return
        }
        let mayStart = recorder.begin(
            operation,
            in: turn.phase,
            lag: turn.isScheduled ? lag : nil,
            wasFree: turn.wasFree
        )
        guard mayStart else {
            isAbandoned = true
            if turn.isScheduled { recorder.leave(in: turn.phase) }
            return
        }
        let intended = turn.isScheduled ? turn.intended : start
        var retries = plan.client.busyRetries
        while true {
            var state = Attempt(recorder: recorder)
            do {
                try attempt(&state)
                // An access that was cut short never ends: the final count finds it running.
                if isAbandoned { return }
                values.publish()
                let end = clock.now()
                let entry = state.entry ?? end
                start = min(start, entry)
                recorder.finish(
                    .completed,
                    plan.isTimed
                        ? .init(intended: intended, start: start, entry: entry, end: end) : nil
                )
                return
            } catch {
                if isAbandoned { return }
                let stamps = state.entry.map { entry in
                    WorkerRecorder.Stamps(
                        intended: intended,
                        start: min(start, entry),
                        entry: entry,
                        end: clock.now()
                    )
                }
                switch target.failure(of: error) {
                case .interrupted:
                    recorder.finish(.interrupted, stamps)
                    return
                case .busy(let code):
                    guard retries > 0, control.stage < .stopped else {
                        recorder.finish(.failed(code), stamps)
                        return
                    }
                    retries -= 1
                    recorder.retry()
                case .error(let code):
                    recorder.finish(.failed(code), stamps)
                    return
                }
            }
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
            if plan.knobs.epoch != epoch { lookAtKnobs() }
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
