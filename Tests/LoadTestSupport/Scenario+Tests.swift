import Scenarios
import Telemetry
import WorkloadEngine

extension Scenario {
    /// Returns a scenario without data, with one measured phase and an optional warm-up.
    static func test(
        _ clients: [Client],
        warmUp: Duration = .zero,
        measured: Duration = .seconds(10),
        drain: Duration = .seconds(2),
        arms: [String] = ["arm"]
    ) -> Scenario {
        var phases = [Phase(name: "steady", duration: measured)]
        if warmUp > .zero {
            phases.insert(Phase(name: "warm-up", duration: warmUp, isMeasured: false), at: 0)
        }
        var scenario = Scenario(
            name: "test",
            dataset: .sql([]),
            arms: arms.map { Arm(name: $0, kind: .pool) },
            phases: phases,
            clients: clients
        )
        scenario.drain = drain
        return scenario
    }
}

extension Client {
    /// Returns a client that reads with one statement.
    static func reader(
        _ name: String = "reader",
        workers: Int = 1,
        pace: Pace = .closed(think: .zero)
    ) -> Client {
        var client = Client(
            name: name,
            activity: .operations(.read, mix: [Operation(name: "read", statements: ["SELECT 1"])])
        )
        client.workers = workers
        client.pace = pace
        return client
    }

    /// Returns two readers that take turns, with accesses that arrive at the same times.
    static func takingTurns(at rate: Double, workers: Int = 1) -> [Client] {
        let pace = Pace.open(Arrival(rate: rate, process: .even))
        var second = reader("second", pace: pace)
        second.workersOf = "first"
        return [reader("first", workers: workers, pace: pace), second]
    }

    /// Returns a client with the given activity.
    static func doing(
        _ activity: Activity,
        named name: String,
        workers: Int = 1,
        pace: Pace
    ) -> Client {
        var client = Client(name: name, activity: activity)
        client.workers = workers
        client.pace = pace
        return client
    }
}

extension WorkloadRun {
    /// Returns a run on a fake target, in simulated time.
    static func simulated(
        _ scenario: Scenario,
        on target: FakeTarget,
        onSample: (@Sendable (Sample) -> Void)? = nil
    ) -> WorkloadRun {
        var options = RunOptions()
        options.clock = target.clock
        options.onSample = onSample
        let arm = scenario.arms.first ?? Arm(name: "arm", kind: .pool)
        return WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: FakeFactory(target: target),
            options: options
        )
    }
}

/// Converts milliseconds to nanoseconds.
func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }
