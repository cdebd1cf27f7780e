import Telemetry
import Testing

@testable import Dashboard

struct ArmRecordTests {
    private func history(_ stories: [(Story, Double)]) -> History {
        var history = History()
        for (story, end) in stories {
            for sample in story.samples(until: end) { history.append(sample) }
        }
        return history
    }

    private func median(_ title: String, of record: ArmRecord) -> Double? {
        record.metrics.firstIndex { $0.title == title }.map { record.medians[$0] }
    }

    @Test func onlyMeasuredSecondsAreIncluded() throws {
        // The first five seconds are the warm-up.
        let record = try #require(history([(Story(), 15)]).arms.first)
        #expect((8...10).contains(record.times.count))
        #expect(record.times[0] >= 5)
    }

    @Test func mediansUseOneValuePerSecond() throws {
        let record = try #require(history([(Story(), 15)]).arms.first)
        let rate = try #require(median("ui", of: record))
        #expect((198...202).contains(rate))
        #expect(median("ui p99", of: record) == 1_600_000)
        #expect(median("report p50", of: record)?.isNaN == true)
    }

    @Test func eachArmKeepsItsLatestRunAndPoolsOfDifferentSizesDiffer() throws {
        let history = history([
            (Story(kind: .queue), 12), (Story(), 12), (Story(kind: .queue), 9),
            (Story(readers: 6), 12),
        ])
        #expect(history.arms.map(\.name) == ["queue", "pool", "pool"])
        #expect(history.arms.map(\.isRunning) == [false, false, true])
        #expect(try #require(history.arms.first).times.count < 6)
        #expect(history.arms.last?.kind == "pool, wal, 6 readers")
    }
}
