import EngineTarget
import Foundation
import Reports
import Scenarios
import Telemetry
import TerminalUI
import Testing
import WorkloadEngine

@testable import Dashboard

/// Tests that every sentence about waiting and readers in use contains the numbers from the result.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConsistentPeaksTests {
    /// Runs one arm briefly, including its warm-up.
    private func run(
        _ scenario: Scenario,
        _ arm: Arm,
        _ store: DatasetStore
    ) async throws -> (result: ArmResult, samples: [Sample]) {
        let samples = Lock<[Sample]>([])
        var options = RunOptions()
        options.datasets = store
        options.onSample = { sample in samples.withLock { $0.append(sample) } }
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: EngineTargetFactory(),
            options: options
        )
        return (try await run.run(), samples.withLock { $0 })
    }

    private func dashboard(_ samples: [Sample]) -> DashboardModel {
        var model = DashboardModel()
        for sample in samples { model.ingest(sample) }
        return model
    }

    /// Returns the text of a screen after all samples of a run.
    private func screen(_ key: Character, _ samples: [Sample]) -> String {
        var model = dashboard(samples)
        _ = model.handle(.key(.character(key)))
        return model.render(size: Size(width: 200, height: 50)).plainText
    }

    /// Presets with different kinds of waits.
    ///
    /// `PresetRunTests` runs all presets.
    @Test(arguments: ["reader-storm", "reads-during-import", "two-processes", "ycsb-a"])
    func sentencesContainTheNumbersOfTheResult(name: String) async throws {
        let preset = try #require(Presets.named(name)).scenario().with(scale: 1)
        let scenario = try preset.scaled(toMeasured: .milliseconds(150))
        let store = DatasetStore()
        defer { store.remove() }
        for arm in scenario.defaultArms {
            let (result, samples) = try await run(scenario, arm, store)
            // The target for bare libsqlite3 does not report a status.
            guard let pool = result.pool else { continue }
            #expect(pool.peaksAreSampled == nil)
            let (reads, writes) = (pool.waitingReadersPeak, pool.waitingWritersPeak)
            let whole = RunResult(
                scenario: scenario,
                environment: HostEnvironment(in: FileManager.default.temporaryDirectory),
                runs: [result]
            )
            let text = TextReport.text(of: whole)
            let page = try HTMLReport.text(of: whole)
            let readText = "\(reads) read" + (reads == 1 ? "" : "s")
            #expect(text.contains("peak waiters: \(readText), \(writes) write"))
            #expect(
                page.contains(
                    "At most \(reads) \(reads == 1 ? "access" : "accesses") waited to read, and "
                        + "\(writes) to write, at the same time."
                )
            )
            let waiters = screen("3", samples)
            #expect(waiters.contains("at most \(readText) and \(writes) write"))
            let overview = screen("1", samples)
            let statesNoWaits = overview.lowercased().contains("no access waited")
            #expect(statesNoWaits ? reads + writes == 0 : true, "\(arm.name): \(reads), \(writes)")
            // The sentences and the tables agree on whether accesses waited.
            if let maximum = pool.maximumReaderCount, let used = pool.readersPeak {
                let peaks = dashboard(samples).history.peaks
                #expect(abs((peaks.saturation ?? 0) - (pool.saturation ?? 0)) < 0.001)
                #expect(abs((peaks.utilization ?? 0) - (pool.utilization ?? 0)) < 0.001)
                #expect(text.contains("peak \(used) of \(maximum) reader"))
                let readers = maximum == 1 ? "1 reader was" : "\(maximum) readers were"
                #expect(page.contains("At most \(used) of \(readers) in use."))
                #expect(overview.contains("at most \(used) of \(maximum) in use"))
                #expect(used <= maximum)
                if waits(pool.acquire) { #expect(reads > 0) }
                if waits(pool.writerAcquire) { #expect(writes > 0) }
            } else if waits(pool.acquire) {
                #expect(reads + writes > 0)
            }
        }
    }

    /// Returns whether an access has waited.
    private func waits(_ summary: LatencySummary?) -> Bool { summary.map { $0.max > 0 } ?? false }
}
