import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

struct WhatIfTests {
    /// Returns a result with 300 reads per second of about 5 ms each, on a pool with two readers.
    private func result() throws -> RunResult {
        var spectrum = LatencySpectrum()
        for index in 0..<1000 {
            spectrum.add(UInt64(-log(1 - (Double(index) + 0.5) / 1000) * 5e6))
        }
        var run = ResultFixture.run
        run.load = RecordedLoad.test(rate: 300, length: 4_000_000_000, workers: 64)
        run.pool?.maximumReaderCount = 2
        run.unsupported = nil
        var client = ResultFixture.reader
        client.completed = 200_000
        client.operations = ["get": client]
        client.operations?["get"]?.operations = nil
        client.processorMean = 50_000
        // An access that finds a free connection waits 5 µs.
        var wait = LatencySpectrum()
        wait.add(5_000, count: 1000)
        client.spectra = LatencySpectra(response: spectrum, wait: wait, service: spectrum)
        run.clients = ["ui": client]
        return RunResult(
            scenario: .test([]),
            environment: ResultFixture.host,
            runs: [run]
        )
    }

    private func waits(_ result: WhatIfResult) -> [WhatIfSetting: UInt64] {
        result.predictions.reduce(into: [:]) { $0[$1.setting] = $1.clients["ui"]?.p99 }
    }

    @Test(.timeLimit(.minutes(2))) func moreReadersShortenWaits() throws {
        let predicted = try WhatIf(result()).predict([
            .queue, .pool(readers: 1), .pool(readers: 2), .pool(readers: 3), .pool(readers: 16),
        ])
        let waits = waits(predicted)
        let queue = try #require(waits[.queue])
        let twoReaders = try #require(waits[.pool(readers: 2)])
        let threeReaders = try #require(waits[.pool(readers: 3)])
        // Without writes, a queue behaves like a pool with one reader.
        #expect(queue == waits[.pool(readers: 1)])
        #expect(queue > twoReaders && twoReaders > threeReaders)
        let manyReaders = try #require(waits[.pool(readers: 16)])
        #expect((4_800...5_200).contains(manyReaders))
        // M/M/2 at ρ = 0.75: C = 0.6429, p99 = ln(100 C) / (2μ − λ) = 41.6 ms.
        #expect(abs(Double(twoReaders) - 41.6e6) < 0.3 * 41.6e6)
        #expect(predicted.recorded == .pool(readers: 2))
        let fit = try #require(predicted.fit["ui"])
        #expect(fit.predicted == twoReaders)
        #expect(fit.measured == 9_990_000)
        #expect(!fit.isWithinTolerance)
        #expect(predicted.notes?.contains { $0.contains("does not reproduce ui's wait") } == true)
    }

    @Test(.timeLimit(.minutes(2))) func unexplainedLongWaitsIndicateASlowHandover() throws {
        let settings: [WhatIfSetting] = [.pool(readers: 2), .pool(readers: 3)]
        let quick = waits(try WhatIf(result()).predict(settings))
        var slow = try result()
        var wait = LatencySpectrum()
        wait.add(0, count: 50)
        wait.add(5_000, count: 400)
        wait.add(40_000_000, count: 550)
        slow.runs[0].clients["ui"]?.spectra?.wait = wait
        let predicted = waits(try WhatIf(slow).predict(settings))
        for setting in settings {
            #expect(try #require(predicted[setting]) > #require(quick[setting]))
        }
    }

    /// A few waits of one second double the mean, but slow handovers do not cause them.
    @Test(.timeLimit(.minutes(2))) func aFewLongWaitsDoNotIndicateASlowHandover() throws {
        let settings: [WhatIfSetting] = [.pool(readers: 3)]
        func predicted(longWaits: UInt64) throws -> UInt64 {
            var result = try result()
            var wait = LatencySpectrum()
            // These waits are similar to those with two readers under this load.
            wait.add(5_000, count: 400)
            for index in 0..<600 {
                wait.add(UInt64(-log(1 - (Double(index) + 0.5) / 600) * 10e6))
            }
            wait.add(1_000_000_000, count: longWaits)
            result.runs[0].clients["ui"]?.spectra?.wait = wait
            return try #require(waits(try WhatIf(result).predict(settings))[.pool(readers: 3)])
        }
        let few = try Double(predicted(longWaits: 10))
        #expect(abs(few - Double(try predicted(longWaits: 0))) < 0.2 * few)
    }

    @Test(.timeLimit(.minutes(2))) func lateAccessesAreSkipped() throws {
        var crowded = try result()
        crowded.runs[0].load?.clients["ui"]?.arrivals?.skipAfter = 20_000_000
        crowded.runs[0].load?.clients["ui"]?.workers = 4
        let prediction = try WhatIf(crowded).predict([.pool(readers: 1), .pool(readers: 16)])
        let oneReader = try #require(prediction.predictions.first?.clients["ui"])
        // One reader serves 200 of the 300 accesses per second.
        #expect(abs((oneReader.skipped ?? 0) - 1.0 / 3) < 0.06)
        #expect(WhatIfReport.text(of: prediction).contains("% skipped"))
        #expect(prediction.predictions.last?.clients["ui"]?.skipped == nil)
    }

    @Test(.timeLimit(.minutes(2))) func equalResultsHaveEqualPredictions() throws {
        let settings: [WhatIfSetting] = [.pool(readers: 2), .pool(readers: 3)]
        let first = try WhatIf(result()).predict(settings)
        #expect(try WhatIf(result()).predict(settings) == first)
        let text = WhatIfReport.text(of: first)
        #expect(text.contains("2 readers (recorded)"))
        #expect(text.contains("NOT within the larger of 25% and 1 ms"))
        let json = try JSONReport.text(of: first)
        #expect(try JSONDecoder().decode(WhatIfResult.self, from: Data(json.utf8)) == first)
    }

    @Test func aHandoverIsFoundIfItExplainsTheWaits() {
        let found = Calibration.handoverTimes { handover, _ in
            // A handover of 2 ms explains the waits of readers. No handover explains the waits of
            // writers.
            [handover[AccessSimulation.readers] - 2e6, -1]
        }
        #expect(abs(found[AccessSimulation.readers] - 2e6) < 2e4)
        #expect(found[AccessSimulation.writer] == 0)
        #expect(Calibration.handoverTimes { _, _ in [5, nil] } == [0, 0])
    }

    @Test func anOldResultExplainsHowToRecordANewOne() throws {
        var old = try result()
        old.runs[0].load = nil
        let error = #expect(throws: WhatIfError.self) { try WhatIf(old) }
        #expect(error?.code == .notRecorded)
        #expect(error?.message.contains("poolgauge run … --format json") == true)
    }

    @Test func anUnknownArmIsReportedWithTheNearestName() throws {
        let result = try result()
        let error = #expect(throws: WhatIfError.self) { try WhatIf(result, arm: "pol") }
        #expect(error?.code == .unknownArm)
        #expect(error?.message.contains("pool") == true)
    }

    @Test func armsOtherThanQueuesAndPoolsAreRejected() throws {
        var result = try result()
        result.runs[0].load?.kind = "memory"
        #expect(throws: WhatIfError.self) { try WhatIf(result) }
        result.runs[0].load?.kind = "pool"
        result.runs[0].load?.library = "raw"
        let error = #expect(throws: WhatIfError.self) { try WhatIf(result) }
        #expect(error?.code == .unsupported)
    }

    @Test(arguments: [
        ("hello", "this is neither the JSON report nor the recording of a run"),
        ("{\"schema\":\"poolgauge.comparison/1\"}", "the format is 'poolgauge.comparison/1'"),
        ("{\"schema\":\"poolgauge.run/1\"}", "'scenario' is missing at the top level"),
    ])
    func anInvalidResultFileIsDescribed(text: String, message: String) {
        let error = #expect(throws: WhatIfError.self) {
            try RunResult.decode(Data(text.utf8), file: "r.json")
        }
        #expect(error?.message.hasPrefix("r.json: \(message)") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        (WhatIfSetting.queue, "1 reader, 2 readers"), (.pool(readers: 1), "queue, 2 readers"),
        (.pool(readers: 4), "3 readers, 5 readers"),
    ])
    func neighborsAreOneStepAway(setting: WhatIfSetting, names: String) {
        #expect(setting.neighbors.map(\.description).joined(separator: ", ") == names)
    }

    @Test func anErrorIsJudgedByItsShareAndItsSize() {
        #expect(WhatIfComparison(predicted: 125, measured: 100).isWithinTolerance)
        #expect(WhatIfComparison(predicted: 900_000, measured: 100).isWithinTolerance)
        #expect(WhatIfComparison(predicted: 12_500_000, measured: 10_000_000).isWithinTolerance)
        #expect(!WhatIfComparison(predicted: 7_400_000, measured: 10_000_000).isWithinTolerance)
        #expect(WhatIfComparison(predicted: 90, measured: 100).error == -0.1)
    }

    /// Returns the result of a client with the given numbers of accesses that wait for 1 ms and for
    /// 100 ms.
    private func client(short: UInt64, long: UInt64) -> ClientResult {
        var wait = LatencySpectrum()
        wait.add(1_000_000, count: short)
        wait.add(100_000_000, count: long)
        var client = ResultFixture.reader
        client.spectra = LatencySpectra(wait: wait)
        client.wait = nil
        if short + long >= 1000 {
            let p99: UInt64 = long * 100 > short + long ? 100_000_000 : 1_000_000
            client.wait = LatencySummary(count: short + long, mean: 0, p99: p99, max: p99)
        }
        return client
    }

    @Test func severalRunsAreEvaluatedTogether() throws {
        // In most runs, fewer than one access in a hundred waits for 100 ms. In all runs together,
        // more than one in a hundred does.
        let runs = [
            client(short: 995, long: 5), client(short: 995, long: 5), client(short: 900, long: 100),
        ]
        let combined = try #require(WhatIfComparison(predicted: 90_000_000, measured: runs))
        #expect([combined.least, combined.most] == [1_000_000, 100_000_000])
        #expect((97_000_000...103_000_000).contains(combined.measured))
        let equal = [client(short: 2_000, long: 5), client(short: 2_000, long: 5)]
        #expect(WhatIfComparison(predicted: 0, measured: equal)?.measured == 1_000_000)
        // Each run is too short, but all runs together are long enough.
        let short = [client(short: 600, long: 0), client(short: 600, long: 0)]
        let both = try #require(WhatIfComparison(predicted: 0, measured: short))
        #expect((970_000...1_040_000).contains(both.measured))
        #expect(both.least == nil && both.most == nil)
        // The range of all runs is wider than the range of a single run.
        let mixed = try #require(
            WhatIfComparison(predicted: 0, measured: short + [client(short: 1176, long: 24)])
        )
        #expect((970_000...1_040_000).contains(mixed.measured))
        #expect(mixed.least == nil && mixed.most == nil)
        #expect(WhatIfComparison(predicted: 90, measured: [short[0]]) == nil)
        #expect(WhatIfComparison(predicted: 90, measured: [ClientResult]()) == nil)
        let single = try #require(WhatIfComparison(predicted: 90, measured: [runs[0]]))
        #expect(single == WhatIfComparison(predicted: 90, measured: 1_000_000))
    }

    @Test func simulationsAreEvaluatedTogether() throws {
        func outcome(short: Int, long: Int) -> AccessSimulation.Outcome {
            var outcome = AccessSimulation.Outcome(service: [])
            outcome.waits =
                Array(repeating: 1e6, count: short) + Array(repeating: 1e8, count: long)
            return outcome
        }
        let wait = try #require(
            WhatIf.wait(of: [
                outcome(short: 995, long: 5), outcome(short: 995, long: 5),
                outcome(short: 900, long: 100),
            ])
        )
        #expect([wait.low, wait.p99, wait.high] == [1_000_000, 100_000_000, 100_000_000])
        let half = outcome(short: 500, long: 0)
        #expect(WhatIf.wait(of: [half, outcome(short: 499, long: 0)]) == nil)
        #expect(WhatIf.wait(of: [half, half]) != nil)
    }

    @Test func predictionsThatVaryByChanceAreReported() {
        func prediction(_ setting: WhatIfSetting, low: UInt64, high: UInt64) -> WhatIfPrediction {
            WhatIfPrediction(
                setting: setting,
                clients: [
                    "ui": .init(p99: high, low: low, high: high),
                    "pay": .init(p99: 1_000, low: 1_000, high: 1_000),
                ]
            )
        }
        let notes = WhatIf.notes(onChanceIn: [
            prediction(.queue, low: 2_000_000, high: 26_000_000),
            prediction(.pool(readers: 1), low: 90_000_000, high: 170_000_000),
            prediction(.pool(readers: 2), low: 2_000_000, high: 26_000_000),
            prediction(.pool(readers: 3), low: 1_000_000, high: 2_500_000),
            prediction(.pool(readers: 4), low: 20_000, high: 900_000),
            prediction(.pool(readers: 5), low: 1_000_000, high: 2_500_000),
        ])
        #expect(notes.count == 1)
        #expect(
            notes.first?.hasPrefix(
                "with queue, 2 … 3 readers, 5 readers, ui's p99 wait varies by chance from run to "
                    + "run; "
            ) == true
        )
    }

    /// Three of 300 accesses exceed the percentile, which differs in each simulation.
    @Test(.timeLimit(.minutes(2))) func randomVariationInAShortRunIsReported() throws {
        var short = try result()
        short.runs[0].load = RecordedLoad.test(rate: 300, length: 1_000_000_000, workers: 64)
        short.runs[0].clients["ui"]?.completed = 300
        short.runs[0].clients["ui"]?.wait?.p99 = 30_000_000
        let predicted = try WhatIf(short).predict([.pool(readers: 2)])
        let wait = try #require(predicted.predictions.first?.clients["ui"])
        try #require(wait.high > 2 * wait.low)
        let notes = try #require(predicted.notes)
        #expect(notes.contains { $0.hasPrefix("with 2 readers, ui's p99 wait varies") })
        // The recorded run resembles the simulated runs.
        #expect((wait.low...wait.high).contains(30_000_000))
        #expect(!notes.contains { $0.contains("does not reproduce") })
    }

    @Test func aValueInANarrowRangeIsNotNecessarilyReproduced() throws {
        let whatIf = try WhatIf(result())
        let fit = WhatIfComparison(predicted: 19_000_000, measured: 11_000_000)
        func isReproduced(low: UInt64) -> Bool {
            let prediction = WhatIfPrediction(
                setting: whatIf.recorded,
                clients: ["ui": .init(p99: fit.predicted, low: low, high: 19_000_000)]
            )
            return !whatIf.notes(["ui": fit], from: [prediction])
                .contains { $0.contains("does not reproduce ui's wait") }
        }
        #expect(!isReproduced(low: 10_000_000))
        #expect(isReproduced(low: 9_000_000))
        #expect(!isReproduced(low: 12_000_000))
    }
}
