import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

struct WhatIfTests {
    /// A result of reads of about 5 ms, 300 a second, on a pool of two readers.
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
        // Whoever waits for nobody waits 5 µs.
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

    @Test(.timeLimit(.minutes(2))) func moreReadersMakeWaitsShorter() throws {
        let predicted = try WhatIf(result()).predict([
            .queue, .pool(readers: 1), .pool(readers: 2), .pool(readers: 3), .pool(readers: 16),
        ])
        let waits = waits(predicted)
        let queue = try #require(waits[.queue])
        let two = try #require(waits[.pool(readers: 2)])
        let three = try #require(waits[.pool(readers: 3)])
        // Nobody writes: a queue is a pool of one reader.
        #expect(queue == waits[.pool(readers: 1)])
        #expect(queue > two && two > three)
        let many = try #require(waits[.pool(readers: 16)])
        #expect((4_800...5_200).contains(many))
        // M/M/2 at ρ = 0.75: C = 0.6429, p99 = ln(100 C) / (2μ − λ) = 41.6 ms.
        #expect(abs(Double(two) - 41.6e6) < 0.3 * 41.6e6)
        #expect(predicted.recorded == .pool(readers: 2))
        let fit = try #require(predicted.fit["ui"])
        #expect(fit.predicted == two)
        #expect(fit.measured == 9_990_000)
        #expect(!fit.isWithin)
        #expect(predicted.notes?.contains { $0.contains("does not reproduce ui's wait") } == true)
    }

    @Test(.timeLimit(.minutes(2))) func waitsLongerThanServiceExplainsMeanASlowHandover() throws {
        let settings: [WhatIfSetting] = [.pool(readers: 2), .pool(readers: 3)]
        let quick = waits(try WhatIf(result()).predict(settings))
        var slow = try result()
        slow.runs[0].clients["ui"]?.wait?.mean = 20_000_000
        let predicted = waits(try WhatIf(slow).predict(settings))
        for setting in settings {
            #expect(try #require(predicted[setting]) > #require(quick[setting]))
        }
    }

    @Test(.timeLimit(.minutes(2))) func whoIsTooLateIsSkipped() throws {
        var crowded = try result()
        crowded.runs[0].load?.clients["ui"]?.arrivals?.skipAfter = 20_000_000
        crowded.runs[0].load?.clients["ui"]?.workers = 4
        let prediction = try WhatIf(crowded).predict([.pool(readers: 1), .pool(readers: 16)])
        let one = try #require(prediction.predictions.first?.clients["ui"])
        // One reader serves 200 of 300 a second.
        #expect(abs((one.skipped ?? 0) - 1.0 / 3) < 0.06)
        #expect(WhatIfReport.text(of: prediction).contains(" % skipped"))
        #expect(prediction.predictions.last?.clients["ui"]?.skipped == nil)
    }

    @Test(.timeLimit(.minutes(2))) func equalResultsGiveEqualPredictions() throws {
        let settings: [WhatIfSetting] = [.pool(readers: 2), .pool(readers: 3)]
        let first = try WhatIf(result()).predict(settings)
        #expect(try WhatIf(result()).predict(settings) == first)
        let text = WhatIfReport.text(of: first)
        #expect(text.contains("2 readers (recorded)"))
        #expect(text.contains("NOT within the larger of 25 % and 1 ms"))
        let json = try JSONReport.text(of: first)
        #expect(try JSONDecoder().decode(WhatIfResult.self, from: Data(json.utf8)) == first)
    }

    @Test func aHandoverIsFoundWhereItExplainsTheWaits() {
        let found = Calibration.handover { handover, _ in
            // Readers need 2 ms; no handover explains what writers wait.
            (reader: handover.reader - 2e6, writer: -1)
        }
        #expect(abs(found.reader - 2e6) < 2e4)
        #expect(found.writer == 0)
        let long = Calibration.handover { _, _ in (reader: 5, writer: nil) }
        #expect(long.reader == 0 && long.writer == 0)
    }

    @Test func anOldResultSaysHowToRecordANewOne() throws {
        var old = try result()
        old.runs[0].load = nil
        let error = #expect(throws: WhatIfError.self) { try WhatIf(old) }
        #expect(error?.code == .notRecorded)
        #expect(error?.message.contains("poolgauge run … --format json") == true)
    }

    @Test func anUnknownArmGetsTheNearestName() throws {
        let result = try result()
        let error = #expect(throws: WhatIfError.self) { try WhatIf(result, arm: "pol") }
        #expect(error?.code == .unknownArm)
        #expect(error?.message.contains("pool") == true)
    }

    @Test func whatIsNoQueueAndNoPoolIsRefused() throws {
        var result = try result()
        result.runs[0].load?.kind = "memory"
        #expect(throws: WhatIfError.self) { try WhatIf(result) }
        result.runs[0].load?.kind = "pool"
        result.runs[0].load?.library = "raw"
        let error = #expect(throws: WhatIfError.self) { try WhatIf(result) }
        #expect(error?.code == .unsupported)
    }

    @Test(arguments: [
        ("hello", "this is no JSON of a run"),
        ("{\"schema\":\"poolgauge.comparison/1\"}", "this is a 'poolgauge.comparison/1'"),
        ("{\"schema\":\"poolgauge.run/1\"}", "'scenario' is missing at its top"),
    ])
    func aFileThatIsNoResultSaysWhatItIs(text: String, message: String) {
        let error = #expect(throws: WhatIfError.self) {
            try WhatIf.decode(Data(text.utf8), file: "r.json")
        }
        #expect(error?.message.hasPrefix("r.json: \(message)") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        (WhatIfSetting.queue, "1 reader, 2 readers"), (.pool(readers: 1), "queue, 2 readers"),
        (.pool(readers: 4), "3 readers, 5 readers"),
    ])
    func theNearestSettingsAreAStepAway(setting: WhatIfSetting, names: String) {
        #expect(setting.neighbours.map(\.description).joined(separator: ", ") == names)
    }

    @Test func anErrorIsJudgedByItsShareAndItsSize() {
        #expect(WhatIfComparison(predicted: 125, measured: 100).isWithin)
        #expect(WhatIfComparison(predicted: 900_000, measured: 100).isWithin)
        #expect(WhatIfComparison(predicted: 12_500_000, measured: 10_000_000).isWithin)
        #expect(!WhatIfComparison(predicted: 7_400_000, measured: 10_000_000).isWithin)
        #expect(WhatIfComparison(predicted: 90, measured: 100).error == -0.1)
    }

    @Test func severalRunsCountAsTheirMedian() throws {
        let three = try #require(WhatIfComparison(predicted: 90, measured: [400, 100, 80]))
        #expect([three.least, three.measured, three.most] == [80, 100, 400])
        #expect(three.error == -0.1)
        #expect(WhatIfComparison(predicted: 90, measured: [300, 100])?.measured == 200)
        let one = try #require(WhatIfComparison(predicted: 90, measured: [100]))
        #expect(one == WhatIfComparison(predicted: 90, measured: 100))
        #expect(WhatIfComparison(predicted: 90, measured: [UInt64]()) == nil)
    }
}
