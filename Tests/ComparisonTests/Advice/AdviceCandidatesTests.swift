import Findings
import Scenarios
import Telemetry
import Testing

@testable import Comparison
@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests which changes to an arm become candidates.
struct AdviceCandidatesTests {
    private func candidates(
        _ arm: Arm,
        environment: [String: String] = [:],
        errors: [String: UInt64] = [:],
        _ change: (inout AdviceCandidates) -> Void = { _ in }
    ) -> [AdviceCandidate] {
        var result = ResultFixture.run
        result.environment = environment
        result.pool = nil
        result.clients["ui"]?.retried = 0
        result.clients["ui"]?.errors = errors
        var candidates = AdviceCandidates(arm: arm, baseline: result)
        change(&candidates)
        return candidates.all
    }

    @Test func aQueueWithARollbackJournalCanUseWALModeOrBecomeAPool() {
        let found = candidates(
            Arm(name: "queue", kind: .queue),
            environment: ["journal_mode": "delete", "synchronous": "full"]
        )
        let changes = found.map(\.change)
        #expect(changes.contains("journal: wal, synchronous: full"))
        #expect(changes.contains("type: pool, readers: 4, synchronous: full"))
        #expect(
            found.filter(\.weakensDurability).map(\.change) == [
                "journal: wal, synchronous: normal"
            ]
        )
        #expect(Set(found.map(\.arm.name)).count == found.count)
    }

    @Test func aPoolVariesItsReadersButNotItsStructure() {
        let found = candidates(
            Arm(name: "pool", kind: .pool, readers: 2),
            environment: ["journal_mode": "wal", "synchronous": "normal"]
        )
        let changes = found.map(\.change)
        #expect(
            changes.filter { $0.hasPrefix("readers:") } == [
                "readers: 4", "readers: 1", "readers: 8",
            ]
        )
        #expect(!changes.contains { $0.contains("type:") || $0.contains("journal:") })
        #expect(found.allSatisfy { !$0.weakensDurability })
    }

    @Test func busyErrorsSuggestATimeoutAndImmediateTransactions() {
        var arm = Arm(name: "present", kind: .pool, library: .raw)
        arm.begin = .deferred
        arm.busyTimeout = .milliseconds(100)
        let found = candidates(arm, errors: ["SQLITE_BUSY_SNAPSHOT": 3])
        #expect(
            found.contains { $0.change.hasPrefix("begin: immediate") && $0.arm.begin == .immediate }
        )
        #expect(found.contains { $0.change == "busy: {timeout: 5s}" })
        arm.begin = nil
        let others = candidates(arm)
        #expect(!others.contains { $0.kind == .begin || $0.kind == .busyTimeout })
    }

    @Test func settingsThatAreAlreadyLargeAreNotChanged() {
        let found = candidates(
            Arm(name: "pool", kind: .pool),
            environment: [
                "cache_size": "-100000", "mmap_size": "1000000000", "wal_autocheckpoint": "10000",
            ]
        )
        #expect(
            !found.contains { [.cache, .memoryMap, .checkpoint].contains($0.kind) }
        )
    }

    @Test func aCacheSizeInPagesIsRecognized() {
        let found = candidates(
            Arm(name: "pool", kind: .pool),
            environment: ["cache_size": "20000", "page_size": "4096"]
        )
        #expect(!found.contains { $0.kind == .cache })
    }

    @Test func beginImmediateIsTriedWithATimeout() {
        var arm = Arm(name: "present", kind: .pool, library: .raw)
        arm.begin = .deferred
        arm.busyTimeout = .zero
        let found = candidates(arm).first { $0.kind == .begin }
        #expect(found?.change == "begin: immediate, busy: {timeout: 5s}")
        #expect(found?.arm.busyTimeout == .seconds(5))
    }

    @Test func aTimeoutCoversTwiceTheLongestHold() {
        var arm = Arm(name: "present", kind: .pool, library: .raw)
        arm.busyTimeout = .seconds(5)
        func timeouts(_ longest: UInt64, _ cause: BusyCause) -> [String] {
            candidates(arm, errors: ["SQLITE_BUSY": 3]) { candidates in
                var group = ResultFixture.busy.groups[0]
                group.cause = cause
                group.holders = ["ui": 3]
                candidates.baseline.busy = BusyResult(groups: [group], others: 0)
                candidates.baseline.clients["ui"]?.service?.max = longest
            }.filter { $0.kind == .busyTimeout }.map(\.change)
        }
        #expect(timeouts(4_200_000_000, .timeout) == ["busy: {timeout: 9s}"])
        #expect(timeouts(1_000_000_000, .timeout) == [])
        // A timeout cannot help a transaction that read before it wrote.
        #expect(timeouts(4_200_000_000, .snapshotUpgrade) == [])
    }

    @Test func aBatchWritesTheSameRowsInFewerTransactions() throws {
        var client = Client(
            name: "load",
            activity: .operations(
                .write,
                mix: [Operation(name: "w", access: .writeWithoutTransaction, steps: [.run("x")])]
            )
        )
        client.pace = .open(Arrival(rate: 500))
        let scenario = Scenario.test([.reader(), client])
        let batch = WriteBatch(client: "load", size: 100)
        let changed = try #require(batch.applied(to: scenario).clients.last)
        #expect(changed.pace == .open(Arrival(rate: 5)))
        guard case .operations(let access, let mix) = changed.activity else { return }
        #expect(access == .write && mix[0].access == nil)
        #expect(mix[0].steps == [.times(100, [.run("x")])])
        #expect(WriteBatch(client: "other", size: 100).applied(to: scenario) == scenario)

        var result = ResultFixture.run
        result.clients["load"] = result.clients["ui"]
        let catalog = MetricCatalog(clients: ["load", "ui"])
        let plain = ComparisonMeasurement(result)
        let batched = ComparisonMeasurement(result, batch: batch)
        func value(_ name: String, _ run: ComparisonMeasurement) throws -> Double? {
            run.value(of: try ComparisonMetric(name, in: catalog))
        }
        let throughput = try #require(try value("load.throughput", plain))
        #expect(try value("load.throughput", batched) == throughput * 100)
        #expect(try value("load.response.p50", batched) == nil)
        #expect(try value("ui.throughput", batched) == value("ui.throughput", plain))
    }

    @Test func candidatesThatAnswerAFindingComeFirst() {
        var arm = Arm(name: "present", kind: .pool, library: .raw)
        arm.begin = .deferred
        let found = candidates(arm) { candidates in
            candidates.indexes = [["CREATE INDEX i ON t (a)"]]
            candidates.baseline.findings = [Finding(.upgrade, "x"), Finding(.slowStatement, "y")]
        }
        #expect(found.prefix(2).map(\.kind) == [.begin, .index("t")])
    }

    /// A write-ahead log also makes commits cheaper, so it competes with larger transactions.
    @Test(
        arguments: [(Arm.Journal?.none, [.journal, .structure]), (.wal, [])]
            as [(Arm.Journal?, [AdviceCandidate.Kind])]
    )
    func aLogAnswersSmallTransactions(journal: Arm.Journal?, kinds: [AdviceCandidate.Kind]) {
        var arm = Arm(name: "present", kind: .queue)
        arm.journal = journal
        let found = candidates(arm) { candidates in
            candidates.baseline.environment["journal_mode"] = journal == .wal ? "wal" : "delete"
            candidates.baseline.findings = [Finding(.smallTransactions, "x")]
        }
        let preserving = found.filter { $0.finding == 0 && !$0.weakensDurability }
        #expect(preserving.map(\.kind) == kinds)
    }
}
