import Telemetry

@testable import Comparison
@testable import LoadTestSupport
@testable import WorkloadEngine

/// Results whose names and texts come from a test.
extension ResultFixture {
    /// Returns a result that contains `name` as every name and text.
    static func result(named name: String) -> RunResult {
        var run = run
        run.arm = name
        run.environment[name] = name
        run.invalidReason = name
        run.failures = [name]
        run.busyHolders = [name: 3]
        run.unsupported = [name: name]
        var client = reader
        client.errors[name] = 2
        client.caveat = name
        client.spectra = HTMLReportTests.spectra
        var operation = client
        operation.operations = nil
        var profile = OperationProfile()
        profile.plans = [.init(sql: "SELECT '\(name)'", lines: [name])]
        profile.counters = .init()
        operation.profile = profile
        client.operations = [name: operation, "other": operation]
        client.phases = [name: operation, "other": operation]
        run.clients = [name: client]
        run.wal?.pins = [.init(by: name, cause: name, bytes: 5_000_000, seconds: 3)]
        if var blame = run.blame?["ui"] {
            blame.holders[0].client = name
            blame.slowest[0].operation = name
            blame.slowest[0].held = [name: 2]
            run.blame = [name: blame]
        }
        run.thresholds[0].metric = "\(name).response"
        run.invariants[0] = InvariantResult(name: name, passed: false, detail: name)
        run.intervals[0].phase = name
        run.intervals[0].clients = [
            name: .init(
                completed: 1,
                throughput: 1,
                response: latencies,
                wait: nil,
                service: nil
            )
        ]
        var host = host
        host.operatingSystem = name
        host.fileSystem = name
        host.versions = [name: name]
        host.warnings = [name]
        host.scenarioText = name
        var result = RunResult(scenario: .test([]), environment: host, runs: [run, run])
        result.scenario = name
        return result
    }

    /// Returns a comparison that contains `name` as every name and text.
    static func comparison(named name: String) -> ComparisonResult {
        let metric = "ui.response.p99"
        func pair(_ a: String, _ b: String, ratio: Double?) -> ComparisonPair {
            ComparisonPair(
                metric: metric,
                a: a,
                b: b,
                ratio: ratio,
                low: ratio.map { $0 * 0.8 },
                high: ratio.map { $0 * 1.2 },
                p: 0.002,
                verdict: .better,
                blocks: 3,
                primary: true,
                lowerIsBetter: true
            )
        }
        var hostile = comparison(
            pairs: [],
            primary: [metric],
            noiseFloor: [metric: 1.08]
        )
        hostile.scenario = name
        hostile.answer = [name]
        hostile.warnings = [name]
        hostile.failedRuns = [name]
        hostile.violations = [name]
        hostile.leftOut = [name: name]
        hostile.environment.scenarioText = name
        hostile.order = [[name]]
        hostile.primary = ["\(name).response.p99"]
        hostile.noiseFloor = ["\(name).response.p99": 1.2]
        hostile.noise = [
            NoiseMeasurement(
                metric: name,
                ratio: 1,
                low: 0.9,
                high: 1.1,
                p: 0.5,
                blocks: 3
            )
        ]
        var decided = pair(name, name, ratio: 0.5)
        decided.metric = "\(name).response.p99"
        decided.note = name
        var missing = pair("queue", name, ratio: nil)
        missing.metric = name
        hostile.pairs = [decided, missing]
        for index in hostile.arms.indices {
            hostile.arms[index].arm = name
            hostile.arms[index].metrics = [name: hostile.arms[index].metrics[metric]]
                .compactMapValues { $0 }
            hostile.arms[index].values = ["\(name).response.p99": [1, nil, 3]]
            hostile.arms[index].spectra = [
                name: PercentileCurve(
                    count: 1000,
                    max: 9_000_000,
                    points: [
                        .init(percentile: 0, nanoseconds: 5), .init(percentile: 50, nanoseconds: 9),
                    ]
                )
            ]
            hostile.arms[index].representative?.arm = name
        }
        return hostile
    }
}
