import Testing

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
        #expect(found.contains { $0.change == "begin: immediate" && $0.arm.begin == .immediate })
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
}
