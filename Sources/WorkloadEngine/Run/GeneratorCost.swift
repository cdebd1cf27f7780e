import Foundation

/// What an access costs when the target does nothing: measured through the very code that a run
/// uses, for a few milliseconds.
enum GeneratorCost {
    /// What one look at the cost saw.
    struct Attempt {
        /// The processor time that the accesses took, in nanoseconds.
        var time: UInt64
        /// How many accesses there were.
        var accesses: UInt64
    }

    /// The processor time that an attempt needs, in nanoseconds: in less, what is done only once,
    /// such as the first touch of memory, would count as the cost of each access.
    private static let leastTime: UInt64 = 2_000_000
    /// How many attempts of that length are looked at: what a hypervisor gives to others counts as
    /// the thread's processor time, and spoils one of them sooner than all.
    private static let enoughAttempts = 3
    /// How often a machine is asked that gives the thread no more.
    private static let maximumAttempts = 25

    /// The cost of one access, in nanoseconds.
    static func measure() throws -> UInt64 { try measure(attempt) }

    /// The cost of one access, in nanoseconds, in the cheapest attempt: other work makes accesses
    /// dearer and never cheaper.
    static func measure(_ attempt: () throws -> Attempt) rethrows -> UInt64 {
        var least = UInt64.max
        var longAttempts = 0
        for _ in 0..<maximumAttempts {
            let seen = try attempt()
            guard seen.accesses > 0 else { continue }
            least = min(least, seen.time / seen.accesses)
            if seen.time >= leastTime { longAttempts += 1 }
            if longAttempts == enoughAttempts { break }
        }
        return least == .max ? 0 : least
    }

    /// Makes accesses for four milliseconds.
    private static func attempt() throws -> Attempt {
        var scenario = Scenario(
            name: "noop",
            dataset: .sql([]),
            arms: [],
            phases: [Phase(name: "noop", duration: .milliseconds(4))],
            clients: [
                Client(
                    name: "noop",
                    activity: .operations(
                        .read,
                        mix: [Operation(name: "noop", statements: ["SELECT :key"])]
                    )
                )
            ]
        )
        scenario.variables["key"] = Variable(distribution: .uniform, minimum: 1, maximum: 1000)
        let target = NoopTarget()
        let clock = MonotonicClock()
        let plan = try RunPlan(scenario, on: target)
        guard let client = plan.clients.first else { return Attempt(time: 0, accesses: 0) }
        let control = RunControl(clock: clock)
        let recorder = WorkerRecorder(operations: 1)
        let worker = Worker(
            plan: client,
            context: RunContext(
                phases: plan.phases,
                control: control,
                clock: clock,
                target: target,
                events: EventLog(),
                stability: StabilityLog()
            ),
            recorder: recorder,
            sleeper: clock.makeSleeper(),
            values: StatementValues(
                plan.generators,
                random: plan.random(of: client, worker: 0, for: "values")
            ),
            random: plan.random(of: client, worker: 0, for: "mix")
        )
        control.begin()
        // The thread's own time, so that a machine with other work does not look slow.
        let start = MonotonicClock.threadProcessorTime()
        worker.run()
        let time = MonotonicClock.threadProcessorTime() - start
        return Attempt(time: time, accesses: recorder.read().begun)
    }
}
