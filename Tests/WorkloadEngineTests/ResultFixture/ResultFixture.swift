import Findings
import Telemetry

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Results with a value in every field, for tests of reports.
enum ResultFixture {
    static var latencies: LatencySummary {
        LatencySummary(
            count: 12_345,
            mean: 1_234_567,
            p50: 900_000,
            p90: 2_100_000,
            p95: 3_000_000,
            p99: 9_990_000,
            p999: 25_000_000,
            max: 31_000_000
        )
    }

    /// The result of a reading client with errors.
    static var reader: ClientResult {
        var client = ClientResult(
            offered: 12_360,
            started: 12_355,
            completed: 12_345,
            skipped: 5,
            late: 7,
            retried: 2,
            interrupted: 3,
            unfinished: 4,
            errors: ["SQLITE_BUSY": 3],
            throughput: 411.5,
            targetRate: 412,
            response: latencies,
            wait: latencies,
            service: latencies,
            lag: latencies
        )
        client.loop = .open
        client.fairness = FairnessResult(workers: 4, longestWait: 28_000_000)
        client.operations = [
            "balance": ClientResult(
                offered: 15,
                started: 15,
                completed: 15,
                skipped: 0,
                late: 0,
                retried: 0,
                interrupted: 0,
                unfinished: 0,
                errors: [:],
                throughput: 0.5,
                response: LatencySummary(count: 15, mean: 800, max: 1500)
            )
        ]
        return client
    }

    static var busy: BusyResult {
        BusyResult(
            groups: [
                .init(
                    cause: .timeout,
                    client: "ui",
                    code: "SQLITE_BUSY",
                    statement: "BEGIN IMMEDIATE",
                    count: 3,
                    retried: 1,
                    waited: 151_000_000,
                    longestWait: 51_000_000,
                    holders: ["import": 2, "unknown": 1],
                    remedy: BusyCause.timeout.remedy(
                        timeout: 50_000_000,
                        holder: "import",
                        client: "ui"
                    )
                ),
                .init(
                    cause: .checkpoint,
                    client: "clean",
                    statement: "PRAGMA wal_checkpoint(TRUNCATE)",
                    count: 1,
                    retried: 0,
                    holders: ["unknown": 1],
                    remedy: BusyCause.checkpoint.remedy(timeout: nil, holder: nil, client: "clean")
                ),
            ],
            others: 2
        )
    }

    static var run: ArmResult {
        ArmResult(
            arm: "pool",
            valid: true,
            partial: false,
            duration: 30,
            environment: [
                "journal_mode": "wal", "synchronous": "normal",
                "busy": "timeout 50.0 ms, retry fixed 1.00 ms",
            ],
            clients: ["ui": reader],
            unsupported: ["export": "this arm has no snapshot accesses"],
            pool: PoolResult(
                maximumReaderCount: 4,
                readersPeak: 4,
                utilization: 0.61,
                saturation: 0.43,
                waitingReadersPeak: 6,
                waitingWritersPeak: 1,
                acquire: latencies,
                acquiredAtOnce: 0.75,
                hold: latencies
            ),
            wal: WALResult(
                peakBytes: 39_845_888,
                finalBytes: 4_194_304,
                pins: [.init(by: "report", cause: "oldReader", bytes: 38_000_000, seconds: 10.25)]
            ),
            snapshots: SnapshotResult(made: 3, oldestSeconds: 4.2),
            interrupts: InterruptStatus(requested: 9, delivered: 5, withoutEffect: 4),
            busy: busy,
            findings: [
                Finding(
                    .busy,
                    "3 of 12,345 accesses of ui failed with SQLITE_BUSY for import.",
                    remedy: "Shorten the transactions of import."
                )
            ],
            blame: [
                "ui": BlameResult(
                    beyond: "p99",
                    from: 9_990_000,
                    accesses: 123,
                    response: 12_000_000,
                    queued: 1_000_000,
                    waited: 9_000_000,
                    service: 2_000_000,
                    resource: .reader,
                    capacity: 4,
                    holders: [
                        .init(client: "report", held: 3.25, longest: 10_250_000_000),
                        .init(client: "ui", held: 0.5, longest: 20_000_000),
                    ],
                    slowest: [
                        .init(
                            time: 12.5,
                            operation: "balance",
                            response: 31_000_000,
                            queued: 1_000_000,
                            waited: 28_000_000,
                            service: 2_000_000,
                            held: ["report": 4]
                        )
                    ]
                )
            ],
            generator: GeneratorResult(cpuShare: 0.0123, lagP99: 61_000, noop: 210),
            thresholds: [
                ThresholdResult(
                    metric: "ui.response",
                    expression: "p(99) < 50ms",
                    observed: 9_990_000,
                    passed: true
                )
            ],
            invariants: [
                InvariantResult(name: "tpcb-sums", passed: true, detail: "accounts 12")
            ],
            intervals: [
                IntervalResult(
                    time: 1,
                    duration: 1,
                    phase: "steady",
                    measured: true,
                    clients: [
                        "ui": .init(completed: 411, throughput: 411)
                    ],
                    utilization: 0.5,
                    saturation: 0.25,
                    waitingReaders: 2,
                    waitingWriters: 0,
                    walBytes: 4096
                )
            ]
        )
    }

    static var host: HostEnvironment {
        HostEnvironment(
            operatingSystem: "Linux",
            architecture: "x86_64",
            cpuCount: 2,
            fileSystem: "ext4",
            syncNanoseconds: 1_250_000,
            versions: ["sqlite": "3.40.1"],
            scenarioText: "version: 1\n"
        )
    }

    static var result: RunResult {
        RunResult(scenario: .test([]), environment: host, runs: [run])
    }
}
