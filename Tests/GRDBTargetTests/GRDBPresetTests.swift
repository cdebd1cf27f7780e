#if GRDB
import Foundation
import GRDBTarget
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

/// Tests short runs of the presets on GRDB's arms.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GRDBPresetTests {
    private static let arms = [
        Arm(name: "grdb-queue", kind: .queue, library: .grdb),
        Arm(name: "grdb-queue-wal", kind: .queue, library: .grdb, journal: .wal),
        Arm(name: "grdb-pool", kind: .pool, library: .grdb, readers: 4),
    ]

    @Test(arguments: ["ycsb-a", "reader-storm", "reads-during-import", "search-as-you-type"])
    func everyArmRunsAndItsCountsBalance(name: String) async throws {
        var scenario = try #require(Presets.named(name)).scenario().with(scale: 1)
        scenario.phases.removeAll { !$0.isMeasured }
        scenario = try scenario.scaled(toMeasured: .milliseconds(500))
        let store = DatasetStore()
        defer { store.remove() }
        for arm in Self.arms {
            let samples = Lock<[Sample]>([])
            var options = RunOptions()
            options.datasets = store
            options.onSample = { sample in samples.withLock { $0.append(sample) } }
            let run = WorkloadRun(
                scenario: scenario,
                arm: arm,
                factory: LibraryTargetFactory(),
                options: options
            )
            let result = try await run.run()
            let unbalanced = result.clients.filter { !$0.value.isBalanced }.map(\.key)
            #expect(unbalanced.isEmpty, "\(arm.name)")
            #expect(result.clients.values.contains { $0.completed > 0 })
            for (client, counts) in result.clients {
                #expect(counts.errors.isEmpty, "\(client) in \(arm.name): \(counts.errors)")
            }
            for invariant in result.invariants {
                #expect(invariant.passed != false, "\(invariant.name): \(invariant.detail)")
            }
            #expect((result.wal != nil) == arm.isWAL)
            // Each hold is attributed to a client or to an activity of the run.
            let names = Set(scenario.clients.map(\.name))
                .union(["environment", "profile", "check", "setup", "you", "sampler"])
            let holders = samples.withLock { $0 }.flatMap(\.database.connections)
                .compactMap(\.holder?.name)
            #expect(Set(holders).isSubset(of: names), "\(Set(holders).subtracting(names))")
        }
    }
}
#endif
