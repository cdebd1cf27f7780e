import Foundation
import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

// Measures the cost of the load generator. A closed loop without think time runs on a target that
// does nothing, through the code that every run uses. With --accesses, the program prints the
// memory of the generator as the number of accesses increases.

/// The command-line options.
struct Options {
    var seconds = 3.0
    var rounds = 5
    var workers = [1, 2]
    var accesses: UInt64?

    init(_ arguments: [String]) {
        var remainingArguments = arguments[...]
        while let name = remainingArguments.popFirst(), let value = remainingArguments.popFirst() {
            switch name {
            case "--seconds": seconds = Double(value) ?? seconds
            case "--rounds": rounds = Int(value) ?? rounds
            case "--workers": workers = value.split(separator: ",").compactMap { Int($0) }
            case "--accesses": accesses = UInt64(value)
            default: FileHandle.standardError.write(Data("unknown option: \(name)\n".utf8))
            }
        }
    }
}

/// Returns a scenario with one client that reads as fast as possible.
func scenario(workers: Int, seconds: Double) -> Scenario {
    var client = Client(
        name: "noop",
        activity: .operations(
            .read,
            mix: [Operation(name: "noop", statements: ["SELECT :key"])]
        )
    )
    client.workers = workers
    var scenario = Scenario(
        name: "noop",
        dataset: .sql([]),
        arms: [Arm(name: "noop", kind: .pool)],
        phases: [
            Phase(name: "warm-up", duration: .milliseconds(200), isMeasured: false),
            Phase(name: "steady", duration: .milliseconds(Int64(seconds * 1000))),
        ],
        clients: [client]
    )
    scenario.variables["key"] = Variable(distribution: .uniform, minimum: 1, maximum: 1_000_000)
    return scenario
}

/// Returns the processor time of the process in nanoseconds.
func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the resident memory of the process in KiB (Linux).
func residentKiB() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
        return nil
    }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(getpagesize()) / 1024
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

let options = Options(Array(CommandLine.arguments.dropFirst()))

if let accesses = options.accesses {
    print("accesses  resident KiB")
    let progress = Mutex<(nextPrintedCount: UInt64, run: WorkloadRun?)>((0, nil))
    var settings = RunOptions()
    settings.onSample = { sample in
        guard sample.state == .running else { return }
        let count = sample.clients.first?.counts.completed ?? 0
        let run: WorkloadRun? = progress.withLock { progress in
            if count >= progress.nextPrintedCount, let memory = residentKiB() {
                print("\(count)  \(memory)")
                progress.nextPrintedCount += accesses / 10
            }
            return count >= accesses ? progress.run : nil
        }
        run?.stop()
    }
    // The run ends after `accesses` accesses, long before this duration has elapsed.
    let longScenario = scenario(workers: options.workers.first ?? 1, seconds: 86_400)
    let run = WorkloadRun(
        scenario: longScenario,
        arm: longScenario.arms[0],
        factory: NoopFactory(),
        options: settings
    )
    progress.withLock { $0.run = run }
    let result = try await run.run()
    print("\(result.clients["noop"]?.completed ?? 0)  \(residentKiB() ?? 0)  (at the end)")
} else {
    print(
        "workers  accesses/s        CPU ns/access   (medians of \(options.rounds) rounds, min–max)"
    )
    for workers in options.workers {
        var rates: [Double] = []
        var costs: [Double] = []
        for _ in 0..<options.rounds {
            let scenario = scenario(workers: workers, seconds: options.seconds)
            let run = WorkloadRun(scenario: scenario, arm: scenario.arms[0], factory: NoopFactory())
            let start = processorTime()
            let result = try await run.run()
            let time = processorTime() - start
            guard let client = result.clients["noop"] else { continue }
            let unmeasured = client.phases?["warm-up"]?.completed ?? 0
            rates.append(client.throughput ?? 0)
            costs.append(Double(time) / Double(max(1, client.completed + unmeasured)))
        }
        print(
            "\(workers)  \(Int(median(rates))) (\(Int(rates.min() ?? 0))–\(Int(rates.max() ?? 0)))  "
                + "\(Int(median(costs))) (\(Int(costs.min() ?? 0))–\(Int(costs.max() ?? 0)))"
        )
    }
}
