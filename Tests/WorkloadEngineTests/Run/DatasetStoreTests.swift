import Foundation
import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

struct DatasetStoreTests {
    /// A factory that records the kind of arm with which each dataset is built.
    private final class CountingFactory: WorkloadTargetFactory {
        let builtKinds = Lock<[String]>([])

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            builtKinds.withLock { $0.append(arm.kind.rawValue) }
            try Data("data".utf8).write(to: URL(fileURLWithPath: path))
            return FakeTarget(clock: SimulatedClock())
        }
    }

    @Test func dataIsBuiltOnceThroughAQueueAndCopiedForEachArm() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let factory = CountingFactory()
        let store = DatasetStore(in: folder)
        let scenario = Scenario.test([])
        let arm = try #require(scenario.arms.first)
        for name in ["a", "b"] {
            let file = folder.appendingPathComponent(name)
            try store.copy(dataOf: scenario, for: arm, through: factory, to: file) { _ in }
            #expect(try String(contentsOf: file, encoding: .utf8) == "data")
        }
        #expect(factory.builtKinds.withLock { $0 } == ["queue"])
        let other = folder.appendingPathComponent("c")
        let seeded = scenario.with(seed: 7)
        try store.copy(dataOf: seeded, for: arm, through: factory, to: other) { _ in }
        #expect(factory.builtKinds.withLock { $0 }.count == 2)
        store.remove()
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(rest.sorted() == ["a", "b", "c"])
    }

    @Test func aRunDeletesItsFolderUnlessTheOptionsKeepIt() async throws {
        for isKept in [false, true] {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let target = FakeTarget(clock: SimulatedClock())
            var options = RunOptions()
            options.clock = target.clock
            options.folder = folder
            options.keepsFolder = isKept
            let run = WorkloadRun(
                scenario: .test([.reader(pace: .closed(think: .milliseconds(50)))]),
                arm: Arm(name: "arm", kind: .pool),
                factory: FakeFactory(target: target),
                options: options
            )
            _ = try await run.run()
            let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(rest.count == (isKept ? 1 : 0))
        }
    }
}
