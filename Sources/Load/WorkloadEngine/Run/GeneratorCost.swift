import Foundation
import Scenarios

/// A type that measures the cost of an access to a target that does nothing, using the same code as
/// a run.
package enum GeneratorCost {
    struct Attempt {
        /// The processor time of all accesses, in nanoseconds.
        var time: UInt64
        var accesses: UInt64
    }

    /// The minimum processor time of an attempt, in nanoseconds.
    ///
    /// In a shorter attempt, the cost of the first memory accesses would dominate.
    private static let minimumTime: UInt64 = 2_000_000
    /// The required number of attempts that take at least ``minimumTime``.
    ///
    /// A thread's processor time includes the time that a hypervisor steals. That time rarely
    /// affects every attempt.
    private static let requiredAttempts = 3
    private static let maximumAttempts = 25

    /// Returns the processor time of one access, in nanoseconds.
    ///
    /// The measurement takes a few milliseconds. The result comes from the cheapest attempt,
    /// because other work on the machine only increases the cost.
    package static func measure() throws -> UInt64 { try measure(attempt) }

    static func measure(_ attempt: () throws -> Attempt) rethrows -> UInt64 {
        var lowest = UInt64.max
        var longAttempts = 0
        for _ in 0..<maximumAttempts {
            let result = try attempt()
            guard result.accesses > 0 else { continue }
            lowest = min(lowest, result.time / result.accesses)
            if result.time >= minimumTime { longAttempts += 1 }
            if longAttempts == requiredAttempts { break }
        }
        return lowest == .max ? 0 : lowest
    }

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
                        mix: [Scenarios.Operation(name: "noop", statements: ["SELECT :key"])]
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
                busy: BusyRecord(Arm(name: "noop", kind: .queue), on: target),
                stability: StabilityLog(),
                interrupts: InterruptRequests(clock: clock)
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
        // Measure the thread's processor time instead of the elapsed time, because other work on
        // the machine affects processor time less.
        let start = MonotonicClock.threadProcessorTime()
        worker.run()
        let time = MonotonicClock.threadProcessorTime() - start
        return Attempt(time: time, accesses: recorder.read().begun)
    }
}
