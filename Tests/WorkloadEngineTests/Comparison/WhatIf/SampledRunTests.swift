import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests results that are derived from the samples of a recorded run.
struct SampledRunTests {
    private let scenario = """
        version: 1
        name: sampled
        dataset: {preset: pgbench, scale: 1}
        arms:
          pool: {type: pool, readers: 2}
        phases:
          - {name: warm-up, duration: 2s, measure: false}
          - {name: steady, duration: 60s}
        clients:
          ui: {access: read, workers: 8, arrival: {rate: 600/s, process: poisson}, hold: 5ms}
          rare: {access: read, workers: 1, arrival: {rate: 1/s, process: even}, hold: 1ms}
        """

    /// Returns samples of a run, two per second, with a hundred accesses in each second.
    private func samples(seconds: Int, rate: Double = 100, readers: Int = 4) -> [Sample] {
        (0...(seconds * 2)).map { tick in
            var database = DatabaseStatus(label: "db", kind: .pool, journalMode: "wal")
            database.readers = ReaderPoolStatus(inUse: 0, open: 0, maximum: readers)
            var client = ClientStatus(name: "ui", activity: "read", workers: 5, targetRate: rate)
            client.counts.skipped = UInt64(tick)
            client.wait = LatencySummary(count: 1000, mean: 20_000, max: 30_000)
            client.service = LatencySummary(count: 1000, mean: 5_100_000, max: 6_000_000)
            if tick.isMultiple(of: 2) {
                var operation = OperationLatencies(name: "hold")
                operation.response.add(5_120_000, count: 100)
                operation.wait.add(20_000, count: 100)
                operation.service.add(5_100_000, count: 100)
                client.operations = [operation]
            }
            var sample = Sample(
                sequence: tick,
                time: Double(tick) / 2,
                scenario: "sampled",
                arm: "pool",
                phase: tick < 4 ? "warm-up" : "steady",
                database: database,
                clients: [client]
            )
            sample.isMeasured = tick >= 4
            return sample
        }
    }

    private func result(of samples: [Sample]) throws -> RunResult {
        var run = SampledRun(arm: "pool")
        for sample in samples { run.add(sample) }
        return try run.result(
            of: Scenario.parse(yaml: scenario, file: "s.yaml"),
            on: ResultFixture.host
        )
    }

    @Test func theMeasuredSamplesAreCombined() throws {
        let run = try #require(try result(of: samples(seconds: 12)).runs.first)
        #expect(run.duration == 10)
        let client = try #require(run.clients["ui"])
        // Seconds 2 to 12 contain eleven distributions.
        #expect(client.completed == 1_100)
        #expect(client.skipped == 21)
        let service = try #require(client.spectra?.service.mean)
        #expect(abs(service - 5_100_000) < 100_000)
        #expect(run.pool?.maximumReaderCount == 4)
    }

    @Test func theLoadCoversOnlyTheMeasuredPeriod() throws {
        let load = try #require(try result(of: samples(seconds: 12)).runs.first?.load)
        #expect(load.phases.map(\.name) == ["steady"])
        #expect(load.phases.map(\.length) == [10_000_000_000])
        #expect(load.readers == 4)
        #expect(load.clients["ui"]?.workers == 5)
        #expect(load.clients["ui"]?.arrivals?.rate == 100)
        // A client without accesses in the period is not simulated.
        #expect(load.clients["rare"] == nil)
    }

    @Test func theSimulatedPartOfALongPeriodIsTenMinutes() throws {
        let run = try #require(try result(of: samples(seconds: 1_000)).runs.first)
        #expect(run.load?.phases.map(\.length) == [600_000_000_000])
        #expect(run.clients["ui"]?.completed == 99_900)
    }

    @Test(.timeLimit(.minutes(2))) func moreReadersShortenWaits() throws {
        let samples = samples(seconds: 32, rate: 350, readers: 2)
        let predicted = try WhatIf(result(of: samples)).predict([
            .pool(readers: 1), .pool(readers: 2), .pool(readers: 8),
        ])
        let waits = predicted.predictions.compactMap { $0.clients["ui"]?.p99 }
        #expect(waits.count == 3)
        #expect(waits == waits.sorted(by: >))
        #expect(waits.first != waits.last)
        #expect(predicted.recorded == .pool(readers: 2))
    }

    @Test func aPeriodWithoutAccessesIsRejected() throws {
        #expect(throws: WhatIfError.self) { try result(of: []) }
        #expect(throws: WhatIfError.self) { try result(of: samples(seconds: 1)) }
        var renamed = SampledRun(arm: "absent")
        for sample in samples(seconds: 12) { renamed.add(sample) }
        #expect(throws: WhatIfError.self) {
            try renamed.result(
                of: Scenario.parse(yaml: scenario, file: "s.yaml"),
                on: ResultFixture.host
            )
        }
    }
}
