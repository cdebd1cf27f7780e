import Foundation
import Scenarios
import Synchronization
import Telemetry
import Text

/// A session that runs a load from the start of its workers to the end of the drain.
///
/// One thread runs the phases and takes samples. Each worker that is not a task has its own thread
/// outside the cooperative pool, because accesses would block the pool.
final class LoadSession {
    private let plan: RunPlan
    private let context: RunContext
    private let commands: UserCommands
    private let sampleInterval: UInt64
    private let recordInterval: UInt64
    private let sleeper: any Sleeper
    /// The number of threads and tasks that have not ended.
    private let alive = ThreadCount()
    /// The recorders of the workers, indexed by client, then by worker.
    private var recorders: [[WorkerRecorder]]
    private var sampler: Sampler

    /// The maximum time that a stopped run waits for running accesses, in nanoseconds.
    private static let stoppedDrain: UInt64 = 1_000_000_000
    /// The maximum time to repeatedly interrupt accesses before the run fails, in nanoseconds.
    private static let maximumInterruptTime: UInt64 = 10_000_000_000

    struct Outcome {
        var sampler: Sampler
        /// The length of the measured phases, in seconds.
        var seconds: Double
        var phaseSeconds: [Double]
        var isPartial: Bool
    }

    init(
        plan: RunPlan,
        context: RunContext,
        commands: UserCommands,
        title: Sampler.Title,
        sampleInterval: UInt64,
        recordInterval: UInt64,
        emit: @escaping (Sample) -> Void
    ) {
        self.plan = plan
        self.context = context
        self.commands = commands
        self.sampleInterval = sampleInterval
        self.recordInterval = recordInterval
        sleeper = context.clock.makeSleeper()
        context.control.register(sleeper)
        recorders = plan.clients.map { client in
            (0..<client.client.workers).map { _ in
                WorkerRecorder(
                    operations: client.operationNames.count,
                    phases: plan.phases.all.count
                )
            }
        }
        let meters = zip(plan.clients, recorders).map {
            ClientMeter(plan: $0, recorders: $1, phases: plan.phases)
        }
        sampler = Sampler(title: title, context: context, meters: meters, emit: emit)
        workers = []
        for (client, clientRecorders) in zip(plan.clients, recorders) {
            for (index, recorder) in clientRecorders.enumerated() {
                workers.append(
                    makeWorker(
                        index,
                        of: client,
                        recorder: recorder,
                        on: try? target(index, of: client),
                        driver: try? context.driver?.assign(to: client.name.name)
                    )
                )
            }
        }
    }

    private var workers: [Worker]

    private func makeWorker(
        _ index: Int,
        of client: ClientPlan,
        recorder: WorkerRecorder,
        on target: (any WorkloadTarget)?,
        driver: DriverTarget.Assignment?
    ) -> Worker {
        Worker(
            plan: client,
            index: index,
            context: context,
            target: target,
            driver: driver,
            recorder: recorder,
            sleeper: context.clock.makeSleeper(),
            values: StatementValues(
                plan.generators,
                random: plan.random(of: client, worker: index, for: "values")
            ),
            random: plan.random(of: client, worker: index, for: "mix")
        )
    }

    private func target(_ index: Int, of client: ClientPlan) throws -> (any WorkloadTarget)? {
        guard client.client.style == .process, let processes = context.processes else { return nil }
        return try processes.target(of: client.name.name, worker: index)
    }

    /// Starts additional workers until each client has the requested number.
    ///
    /// Surplus workers pause themselves.
    private func addWorkers() {
        for (position, client) in plan.clients.enumerated() {
            while recorders[position].count < client.settings.read().workers {
                let recorder = WorkerRecorder(
                    operations: client.operationNames.count,
                    phases: plan.phases.all.count
                )
                let index = recorders[position].count
                let target: (any WorkloadTarget)?
                let driver: DriverTarget.Assignment?
                do {
                    target = try self.target(index, of: client)
                    driver = try context.driver?.assign(to: client.name.name)
                } catch {
                    context.events.note(
                        "cannot add a worker to \(client.name.name): \(error)",
                        severity: .error
                    )
                    client.settings.change { $0.workers = index }
                    break
                }
                let worker = makeWorker(
                    index,
                    of: client,
                    recorder: recorder,
                    on: target,
                    driver: driver
                )
                recorders[position].append(recorder)
                sampler.add(recorder, toClient: position)
                start(worker)
            }
        }
    }

    /// Runs the load until it ends.
    ///
    /// This method calls `onStart` after the load time starts and before the first access.
    ///
    /// - Throws: `RunError` if an access does not end.
    func run(onStart: () -> Void = {}) throws -> Outcome {
        let control = context.control
        control.begin()
        onStart()
        startThreads()
        runPhases()
        drain()
        // Take the last sample now, because ending the remaining accesses changes the status.
        sampler.sample(.draining)
        let end = context.clock.now()
        for recorder in recorders.joined() { recorder.seal(at: end) }
        control.seal()
        try endThreads()
        context.alarm?.stop()
        sampler.endInterval()
        sleeper.retire()
        let stop = min(control.stopTime, context.phases.end)
        return Outcome(
            sampler: sampler,
            seconds: Double(context.phases.measuredTime(until: stop)) / 1e9,
            phaseSeconds: context.phases.seconds(until: stop),
            isPartial: control.isInterrupted || control.failure != nil || control.abortResult != nil
        )
    }

    private func startThreads() {
        if let alarm = context.alarm { startAlarm(alarm) }
        for worker in workers { start(worker) }
        // The threads now own the workers.
        workers = []
        let user = context.clock.makeSleeper()
        commands.prepare(user)
        start("poolgauge.you", user) { [commands, context] in commands.run(context, user) }
    }

    private func startAlarm(_ alarm: AlarmClock) {
        let thread = Thread {
            TimerSlack.minimize()
            alarm.run()
        }
        thread.name = "poolgauge.alarm"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func start(_ worker: Worker) {
        if worker.plan.client.style == .async, let alarm = context.alarm {
            startTask(worker, alarm: alarm)
            return
        }
        context.control.register(worker.sleeper)
        start("poolgauge.\(worker.plan.name.name)", worker.sleeper, worker.run)
    }

    private func startTask(_ worker: Worker, alarm: AlarmClock) {
        // The worker's sleeper blocks a thread, so the task uses its own sleeper.
        worker.sleeper.retire()
        let sleeper = TaskSleeper(alarm: alarm)
        context.control.register(sleeper)
        // Only the task uses the worker.
        nonisolated(unsafe) let worker = worker
        let sessionSleeper = self.sleeper
        alive.add()
        Task.detached(executorPreference: TaskThreads.shared) { [alive] in
            await worker.runTask(sleeper)
            alive.remove()
            sessionSleeper.wake()
        }
    }

    private func start(_ name: String, _ sleeper: any Sleeper, _ body: @escaping () -> Void) {
        // Only the new thread uses the closure.
        nonisolated(unsafe) let body = body
        let sessionSleeper = self.sleeper
        alive.add()
        let thread = Thread { [alive] in
            TimerSlack.minimize()
            body()
            alive.remove()
            sessionSleeper.wake()
            sleeper.retire()
        }
        thread.name = name
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func runPhases() {
        let control = context.control
        var nextSample = context.clock.now()
        var nextRecord = recordInterval
        while true {
            let now = control.now()
            let stage = control.stage
            if stage < .stopped { addWorkers() }
            let isOver = stage >= .stopped || now >= context.phases.end
            if context.clock.now() >= nextSample || isOver {
                sampler.sample(stage == .paused ? .paused : isOver ? .draining : .running)
                nextSample += sampleInterval
                // After a stall, skip the missed samples.
                nextSample = max(nextSample, context.clock.now())
            }
            let beginsPeriod = context.periods?.isBeginning == true
            if now >= nextRecord || beginsPeriod {
                sampler.endInterval()
                if beginsPeriod { context.periods?.advance() }
                nextRecord = (now / recordInterval + 1) * recordInterval
                if !isOver, let watch = context.abort, let miss = sampler.firstMiss(of: watch) {
                    control.abort(because: miss)
                }
            }
            if isOver { return }
            var wake = nextSample
            if stage != .paused, let boundary = context.phases.boundary(after: now) {
                wake = min(wake, control.clockTime(of: boundary))
            }
            if context.clock.now() < wake {
                sleeper.sleep(until: wake)
            }
            // Take a sample at each phase boundary so that no sample interval spans two phases.
            if context.phases.phase(at: control.now())?.start
                != context.phases
                .phase(at: now)?.start
            {
                nextSample = min(nextSample, context.clock.now())
            }
        }
    }

    private func drain() {
        let isStopped = context.control.stage >= .stopped
        let length =
            isStopped ? min(context.phases.drain, Self.stoppedDrain) : context.phases.drain
        let end = context.clock.now() &+ length
        commands.finish()
        while alive.count > 0, context.clock.now() < end {
            sleeper.sleep(until: min(end, context.clock.now() &+ sampleInterval))
            // If the user stops the run during the drain, end the drain.
            if !isStopped, context.control.stage >= .stopped { return }
            if alive.count > 0 { sampler.sample(.draining) }
        }
    }

    private func endThreads() throws {
        let clock = context.clock
        let end = clock.now() &+ Self.maximumInterruptTime
        while alive.count > 0 {
            context.target.interrupt()
            context.processes?.interrupt()
            context.driver?.terminate()
            guard clock.now() < end else {
                throw RunError(
                    .stuck,
                    HumanUnits.counted(alive.count, "access", "accesses")
                        + " did not end within ten seconds, despite repeated interrupts"
                )
            }
            sleeper.sleep(until: clock.now() &+ 10_000_000)
        }
    }
}

private final class ThreadCount: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .acquiring) }

    func add() { value.add(1, ordering: .acquiringAndReleasing) }

    func remove() { value.subtract(1, ordering: .acquiringAndReleasing) }
}
