import Scenarios
import Synchronization
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests the activities of clients in simulated time.
@Suite(.timeLimit(.minutes(5)))
struct ActivityTests {
    @Test func operationsAreDrawnByTheirWeights() async throws {
        let client = Client(
            name: "mixed",
            activity: .operations(
                .read,
                mix: [
                    Operation(name: "often", weight: 9, statements: ["SELECT 1"]),
                    Operation(name: "seldom", weight: 1, statements: ["SELECT 2"]),
                ]
            )
        )
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(2) }))
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        let mixed = try #require(result.clients["mixed"])
        let often = try #require(mixed.operations?["often"])
        let seldom = try #require(mixed.operations?["seldom"])
        #expect(often.completed + seldom.completed == mixed.completed)
        #expect(mixed.completed == 5000)
        // The tolerance is five standard deviations of a binomial distribution: 5 × √(5000 × 0.9 ×
        // 0.1) = 106.
        #expect((394...606).contains(seldom.completed))
    }

    @Test func aVariableHasOneValueInsideAnAccess() async throws {
        let client = Client(
            name: "pay",
            activity: .operations(
                .write,
                mix: [Operation(name: "pay", statements: ["U :a :b", "I :b :a", "C"])]
            )
        )
        var scenario = Scenario.test([client], measured: .milliseconds(100))
        scenario.variables = [
            "a": Variable(distribution: .uniform, minimum: 1, maximum: 1_000_000),
            "b": Variable(distribution: .text(length: 8), minimum: 0, maximum: 0),
        ]
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(1) }))
        _ = try await WorkloadRun.simulated(scenario, on: target).run()
        let statements = target.statements
        #expect(statements.count == 300)
        var seen: Set<[WorkloadValue]> = []
        for index in stride(from: 0, to: statements.count, by: 3) {
            let values = statements[index].values
            #expect(values.count == 2)
            #expect(statements[index + 1].values == values.reversed())
            #expect(statements[index + 2].values == [])
            seen.insert(values)
        }
        #expect(seen.count > 90, "each access draws a new value")
    }

    @Test func anUndefinedVariableIsAnError() async throws {
        let client = Client(
            name: "pay",
            activity: .operations(.write, mix: [Operation(name: "pay", statements: ["U :missing"])])
        )
        let target = FakeTarget(clock: SimulatedClock())
        let run = WorkloadRun.simulated(.test([client]), on: target)
        let error = await #expect(throws: RunError.self) { try await run.run() }
        #expect(error?.code == .scenario)
        #expect(error?.description.contains(":missing") == true)
        #expect(target.isClosed)
    }

    @Test func busyAccessesAreRetried() async throws {
        var client = Client.reader(pace: .closed(think: .milliseconds(10)))
        client.busyRetries = 2
        // The first access is busy twice, the second access once, and the third access three times.
        let busyAttempts: Set<Int> = [0, 1, 3, 5, 6, 7]
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(beforeAccess: { if busyAttempts.contains($0.number) { throw FakeFailure.busy } })
        )
        let scenario = Scenario.test([client], measured: .milliseconds(45))
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        let reader = try #require(result.clients["reader"])
        #expect(reader.offered == 5)
        #expect(reader.retried == 5)
        #expect(reader.errors == ["SQLITE_BUSY": 1])
        #expect(reader.completed == 4)
    }

    @Test func holdsKeepTheirConnectionOnEveryWorker() async throws {
        let client = Client.doing(
            .hold(.share(0.3), sql: "SELECT 1"),
            named: "report",
            workers: 2,
            pace: .every(.share(0.5))
        )
        let target = FakeTarget(clock: SimulatedClock())
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        let report = try #require(result.clients["report"])
        #expect(report.offered == 2, "the next period begins at the end of the load")
        #expect(report.completed == 2)
        let service = try #require(report.service?.max)
        #expect(abs(Double(service) - 3e9) < 3e7)
    }

    @Test func aHoldBeyondTheDrainEndsWithTheLoad() async throws {
        let clock = SimulatedClock()
        let start = clock.now()
        let client = Client.doing(
            .hold(.absolute(.seconds(9)), sql: nil),
            named: "report",
            pace: .at(.absolute(.seconds(5)))
        )
        let target = FakeTarget(clock: clock)
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        #expect(result.clients["report"]?.unfinished == 1)
        #expect(clock.now() - start < milliseconds(10_200))
    }

    @Test func eachBatchOfAnImportIsAnAccess() async throws {
        let client = Client.doing(
            .importRows(count: 1000, batch: 300, statement: "INSERT"),
            named: "import",
            pace: .at(.share(0.5))
        )
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(5) }))
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        #expect(result.clients["import"]?.completed == 4)
        #expect(target.statements.count == 1000)
        #expect(target.accesses.allSatisfy { $0.kind == .write })
    }

    @Test func interruptsFollowTheirSchedule() async throws {
        let client = Client.doing(.interrupt, named: "cancel", pace: .every(.absolute(.seconds(3))))
        let target = FakeTarget(clock: SimulatedClock())
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        #expect(result.clients["cancel"]?.completed == 3)
        #expect(result.clients["cancel"]?.response == nil, "an interrupt has no latency")
        #expect(target.interrupts == 3)
    }

    /// The first interrupt arrives before the statement starts, so SQLite ignores it.
    @Test func anInterruptIsRepeatedOnTheClockOfTheRun() async throws {
        let slow = Client.reader("slow", pace: .at(.absolute(.seconds(1))))
        let cancel = Client.doing(
            .action(.interrupt(client: "slow")),
            named: "cancel",
            pace: .at(.absolute(.seconds(2)))
        )
        let clock = SimulatedClock()
        let sent = Lock(0)
        let target = FakeTarget(
            clock: clock,
            .init(
                statement: {
                    if !clock.spend(milliseconds(60_000)) { throw FakeFailure.interrupted }
                },
                interrupt: {
                    let isLost = sent.withLock { sent in
                        sent += 1
                        return sent == 1
                    }
                    if !isLost { clock.interrupt() }
                }
            )
        )
        let result = try await WorkloadRun.simulated(.test([slow, cancel]), on: target).run()
        #expect(sent.withLock { $0 } == 2)
        #expect(result.clients["slow"]?.interrupted == 1)
        let interrupts = try #require(result.clients["slow"]?.interrupts)
        #expect(interrupts.requested == 1)
        #expect(interrupts.delivered == 1)
        // The interrupt is repeated a millisecond later on the clock of the run.
        #expect((980_000...1_020_000).contains(try #require(interrupts.latency?.max)))
    }

    @Test func snapshotsAreComparedAtTheirStartAndEnd() async throws {
        for isStable in [true, false] {
            let client = Client.doing(
                .snapshot(.share(0.2), sql: "SELECT"),
                named: "export",
                pace: .every(.share(0.25))
            )
            var scenario = Scenario.test([client])
            scenario.invariants = ["snapshots-stable"]
            let target = FakeTarget(
                clock: SimulatedClock(),
                .init(snapshotRows: { [[.integer(isStable ? 1 : Int64($0))]] })
            )
            let result = try await WorkloadRun.simulated(scenario, on: target).run()
            #expect(result.clients["export"]?.completed == 3)
            #expect(result.invariants.first?.passed == isStable)
            #expect(result.exitStatus == (isStable ? .passed : .invariantViolated))
            #expect(target.snapshotsAlive == 0)
        }
    }

    @Test func unsupportedAccessesAreReported() async throws {
        let snapshot = Client.doing(
            .snapshot(.share(0.2), sql: nil),
            named: "export",
            pace: .at(.share(0.1))
        )
        var scenario = Scenario.test([.reader(pace: .closed(think: .milliseconds(5))), snapshot])
        scenario.invariants = ["snapshots-stable"]
        scenario.thresholds = [
            Threshold(
                metric: "export.response",
                expression: "max < 1s",
                aggregate: "max",
                comparison: "<",
                limit: 1e9
            ),
            Threshold(
                metric: "reader.errors",
                expression: "count < 1",
                aggregate: "count",
                comparison: "<",
                limit: 1
            ),
        ]
        let target = FakeTarget(clock: SimulatedClock(), .init(hasSnapshots: false))
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(result.clients["export"] == nil)
        #expect(result.unsupported?.keys.sorted() == ["export"])
        #expect(result.invariants.first?.passed == nil)
        #expect(result.thresholds.map(\.passed) == [nil, true])
        #expect(result.exitStatus == .passed)
    }

    @Test func theWarmUpIsNotMeasured() async throws {
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(10) }))
        let scenario = Scenario.test([.reader()], warmUp: .seconds(5))
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(target.accesses.count == 1500)
        #expect(result.clients["reader"]?.offered == 1000)
        #expect(result.clients["reader"]?.response?.count == 1000)
        #expect(result.clients["reader"]?.throughput == 100)
        #expect(result.intervals.count { $0.measured } == 10)
        #expect(result.intervals.first?.clients["reader"]?.completed ?? 0 > 90)
    }
}
