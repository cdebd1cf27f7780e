import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests which holders a report names for the waits of slow accesses, in simulated time.
@Suite(.timeLimit(.minutes(5)))
struct BlameTests {
    /// Runs a load on one reader.
    ///
    /// `report` holds the reader from second 2 to second 4. `ui` requests it every 100 ms.
    private func run(_ kind: Arm.Kind) async throws -> ArmResult {
        let clock = SimulatedClock()
        let start = clock.now()
        let end = start + milliseconds(4000)
        let target = FakeTarget(
            clock: clock,
            .init(
                wait: { access in
                    let isHeld = (start + milliseconds(2000)..<end).contains(access.time)
                    return isHeld && access.client == "ui" ? end - access.time : 0
                },
                service: { $0.client == "ui" ? milliseconds(1) : 0 }
            )
        )
        var scenario = Scenario.test([
            .reader("ui", workers: 40, pace: .open(Arrival(rate: 10, process: .even))),
            .doing(
                .hold(.absolute(.seconds(2)), sql: nil),
                named: "report",
                pace: .at(.absolute(.seconds(2)))
            ),
        ])
        scenario.arms = [Arm(name: "arm", kind: kind, readers: kind == .pool ? 1 : nil)]
        return try await WorkloadRun.simulated(scenario, on: target).run()
    }

    @Test func aHeldReaderIsReportedWithItsHolder() async throws {
        let blame = try #require(try await run(.pool).blame)
        let ui = try #require(blame["ui"])
        #expect(ui.resource == .reader)
        #expect(ui.capacity == 1)
        #expect(ui.response == ui.queued + ui.waited + ui.service)
        #expect(ui.queued == 0)
        #expect(abs(Int(ui.service) - 1_000_000) < 1000)
        let report = try #require(ui.holders.first { $0.client == "report" })
        #expect(abs(report.held - 1) < 0.01)
        #expect(abs(Double(report.longest) / 2e9 - 1) < 0.01)
        // The slowest access arrived when the hold started and waited until the hold ended.
        let slowest = try #require(ui.slowest.first)
        #expect(slowest.operation == "read")
        #expect(abs(slowest.time - 2.0) < 0.2)
        #expect(abs((slowest.held["report"] ?? 0) - 1) < 0.01)
        let text = ui.sentences(of: "ui").joined(separator: "\n")
        #expect(text.contains("waiting for a reader"))
        #expect(text.contains("'report' held 1.0 of 1 reader (up to 2.00 s at a time)"))
        // The `report` client did not wait.
        #expect(blame["report"]?.waited == 0)
    }

    @Test func aQueueHasOneConnectionForAllAccesses() async throws {
        let ui = try #require(try await run(.queue).blame?["ui"])
        #expect(ui.resource == .connection)
        #expect(ui.capacity == 1)
        #expect(ui.holders.first?.client == "report")
    }

    @Test func aBusyWorkerIsNotReportedAsAConnection() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { _ in milliseconds(150) })
        )
        var client = Client.reader("ui", pace: .open(Arrival(rate: 10, process: .even)))
        client.workers = 1
        let result = try await WorkloadRun.simulated(.test([client]), on: target).run()
        let ui = try #require(result.blame?["ui"])
        #expect(ui.waited == 0)
        #expect(ui.queued > milliseconds(1000))
        #expect(ui.holders.map(\.client) == ["ui"])
        #expect(ui.sentences(of: "ui")[0].contains("waiting for a worker of 'ui'"))
    }

    @Test func slowServiceHasNoHolder() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { _ in milliseconds(150) })
        )
        let result = try await WorkloadRun.simulated(.test([.reader("ui")]), on: target).run()
        let ui = try #require(result.blame?["ui"])
        #expect(ui.holders.isEmpty)
        #expect(ui.sentences(of: "ui")[0].contains("inside the access, not waiting"))
    }

    @Test(arguments: [(Arm.Kind.queue, Int?.none, 1.0), (.pool, 2, 2)])
    func overlappingHoldsAddUpToTheCapacity(
        kind: Arm.Kind,
        readers: Int?,
        capacity: Double
    ) throws {
        let names = ["ui", "report", "search", "list"]
        let scenario = Scenario.test(names.map { .reader($0) })
        let plan = try RunPlan(scenario, on: NoopTarget())
        let arm = Arm(name: "arm", kind: kind, readers: readers)
        var ledger = BlameLedger(plan.clients, arm: arm, origin: 0)
        ledger.advance(to: milliseconds(100))
        // Each of the four clients reports a hold for the whole time.
        for client in names.indices {
            var log = HoldLog()
            log.add(from: 0, until: milliseconds(100))
            ledger.add(log, openSince: nil, of: client, at: milliseconds(100), isMeasured: true)
        }
        ledger.close(at: milliseconds(100))
        var slow = SlowAccesses()
        slow.offer(
            .init(
                intended: milliseconds(10),
                start: milliseconds(10),
                entry: milliseconds(90),
                end: milliseconds(91)
            ),
            cell: 0
        )
        ledger.join(slow, of: 0) { _ in "read" }
        var response = LatencyHistogram()
        response.count(milliseconds(81))
        let result = try #require(ledger.result(of: 0, response: response, readers: readers))
        #expect(result.holders.count == 4)
        let sum = result.holders.reduce(0) { $0 + $1.held }
        #expect((capacity - 0.01...capacity).contains(sum), "\(sum)")
        let slowest = try #require(result.slowest.first)
        #expect(slowest.held.values.reduce(0, +) <= capacity)
    }

    @Test(arguments: [
        ([0.75, 0.25], 1, ["0.75", "0.25"]), ([0.98, 0.04], nil, ["1.0", "0.04"]),
        ([1, 0.004], 1, ["1.0", "0.00"]), ([3.25, 0.5], 4, ["3.3", "0.5"]),
        ([0.97, 0.03], 1, ["0.97", "0.03"]), ([], 1, []), ([1], Int.max, ["1.0"]),
    ])
    func roundedSharesAddUpToTheCapacity(held: [Double], capacity: Int?, texts: [String]) {
        #expect(HeldConnections.texts(held, of: capacity) == texts)
    }

    @Test func theSharesOfASentenceAddUpToTheCapacity() {
        var blame = BlameResult(
            beyond: "p99",
            from: 50_000_000,
            accesses: 12,
            response: 60_000_000,
            queued: 0,
            waited: 60_000_000,
            service: 0,
            resource: .reader,
            capacity: 1,
            holders: [
                .init(client: "report", held: 0.75, longest: 9_000_000),
                .init(client: "ui", held: 0.25, longest: 1_000_000),
            ],
            slowest: []
        )
        let text = blame.sentences(of: "list").joined()
        #expect(text.contains("'report' held 0.75 of 1 reader"))
        #expect(text.contains("'ui' 0.25 "))
        blame.resource = .connection
        let shares = blame.sentences(of: "list").joined()
        #expect(shares.contains("'report' held the connection 75.0% of the time"))
        #expect(shares.contains("'ui' 25.0%"))
    }

    @Test func aLiveViewCoversTenSeconds() throws {
        let scenario = Scenario.test([.reader("ui")])
        let plan = try RunPlan(scenario, on: NoopTarget())
        var ledger = BlameLedger(plan.clients, arm: Arm(name: "arm", kind: .pool), origin: 0)
        for second in 1...12 as ClosedRange<UInt64> {
            var slow = SlowAccesses()
            // The first second contains the slowest access. The last accesses waited for half of
            // their time.
            let wait: UInt64 = second == 1 ? 900 : 50
            slow.offer(
                .init(intended: 9, start: 9, entry: 9 + wait, end: 109 + wait - 50),
                cell: 0
            )
            ledger.joinRecent([slow], of: 0) { _ in "read" }
        }
        var response = LatencyHistogram()
        response.count(100)
        let split = try #require(ledger.recentSplit(of: 0, response: response, readers: 2))
        #expect(split.response == 100)
        #expect(split.waited == 50 && split.service == 50 && split.queued == 0)
        #expect(split.resource == "reader" && split.capacity == 2)
        for _ in 0..<10 { ledger.joinRecent([], of: 0) { _ in "read" } }
        #expect(ledger.recentSplit(of: 0, response: response, readers: 2) == nil)
    }

    @Test func memoryDoesNotGrowWithTheRun() {
        let target = NoopTarget()
        let scenario = Scenario.test([.reader("ui")])
        guard let plan = try? RunPlan(scenario, on: target) else { return }
        var ledger = BlameLedger(plan.clients, arm: Arm(name: "arm", kind: .pool), origin: 0)
        var response = LatencyHistogram()
        for second in 1...200 as ClosedRange<UInt64> {
            ledger.advance(to: second * 1_000_000_000)
            var slow = SlowAccesses()
            for number in 0..<32 as Range<UInt64> {
                let length = (second * 7919 + number * 104_729) % 1_000_000
                slow.offer(.init(intended: 9, start: 9, entry: 9, end: 9 + length), cell: 0)
                response.count(length)
            }
            ledger.join(slow, of: 0) { _ in "read" }
        }
        #expect(ledger.entryCount(of: 0) <= 2 * BlameLedger.limit)
        let result = ledger.result(of: 0, response: response, readers: nil)
        #expect(result?.beyond == "p99")
        #expect((60...130).contains(result?.accesses ?? 0))
        #expect(result?.slowest.first?.response ?? 0 >= response.maximum * 99 / 100)
    }
}
