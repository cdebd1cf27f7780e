import Foundation

/// What an access costs when the target does nothing: measured through the very code that a run
/// uses, for a few milliseconds.
enum GeneratorCost {
    /// The cost of one access, in nanoseconds.
    static func measure() throws -> UInt64 {
        var scenario = Scenario(
            name: "noop",
            dataset: .sql([]),
            arms: [],
            phases: [Phase(name: "noop", duration: .milliseconds(10))],
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
        guard let client = plan.clients.first else { return 0 }
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
        return time / max(1, recorder.read().begun)
    }
}
