import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct RunPeaksTests {
    private func dashboard(_ samples: [Sample]) -> DashboardModel {
        var model = DashboardModel()
        for sample in samples { model.ingest(sample) }
        return model
    }

    @Test func peaksLastUntilTheNextRun() throws {
        var model = dashboard(Story().finished())
        let peaks = model.history.peaks
        let story = Story().samples()
        #expect(peaks.accesses.waitingReaders == story.map(\.database.waitingReaders.count).max())
        #expect(peaks.accesses.waitingWriters == 2)
        #expect(!peaks.accesses.areSampled)
        #expect(peaks.longestWriter?.waitedNanoseconds == 18_200_000)
        #expect(peaks.longestReader?.origin.name == "ui")
        #expect(peaks.oldestSnapshot?.ageNanoseconds ?? 0 >= 21_900_000_000)
        #expect(peaks.walBytes == story.compactMap(\.database.wal?.bytes).max())
        for sample in Story(kind: .queue).samples(until: 0) { model.ingest(sample) }
        #expect(model.history.peaks.longestWriter == nil)
    }

    /// Returns a sample from a library that counts waits between samples.
    private func countedSample(_ sequence: Int, reads: Int, isMeasured: Bool) throws -> Sample {
        var sample = try #require(Story().samples(until: 0).first)
        sample.sequence = sequence
        sample.time = Double(sequence)
        sample.database.waitingReaders = []
        sample.database.waitingWriters = []
        sample.database.waitingReadersPeak = reads
        sample.database.waitingWritersPeak = 0
        sample.database.readers?.peak = 3
        sample.isMeasured = isMeasured
        return sample
    }

    @Test func waitsBetweenSamplesAreCounted() throws {
        var end = try countedSample(1, reads: 16, isMeasured: false)
        end.state = .finished
        let model = dashboard([try countedSample(0, reads: 0, isMeasured: true), end])
        #expect(model.history.peaks.accesses.waitingReaders == 16)
        #expect(model.history.peaks.accesses.readersInUse == 3)
        #expect(!model.history.peaks.accesses.areSampled)
        let overview = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(overview.contains("t most 16 reads waited at the same time"))
        #expect(overview.contains("none observed"))
        #expect(!overview.lowercased().contains("no access waited"))
    }

    @Test func onlyTheMeasuredTimeIsIncluded() throws {
        var end = try countedSample(3, reads: 9, isMeasured: false)
        end.state = .finished
        let model = dashboard([
            // This sample belongs to the warm-up.
            try countedSample(0, reads: 16, isMeasured: false),
            try countedSample(1, reads: 16, isMeasured: true),
            // The library has restarted its counts. The measured time ends with this sample.
            try countedSample(2, reads: 2, isMeasured: false), end,
        ])
        #expect(model.history.peaks.accesses.waitingReaders == 2)
    }

    @Test func withoutCountsTheOverviewReportsNoObservedWaiters() throws {
        var end = try countedSample(1, reads: 0, isMeasured: false)
        end.database.waitingReadersPeak = nil
        end.state = .finished
        let model = dashboard([try countedSample(0, reads: 0, isMeasured: true), end])
        let overview = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(overview.contains("o waiters observed"))
    }

    @Test func theTargetRateRemainsWhenTheLoadEnds() throws {
        let samples = Story().finished()
        let model = dashboard(samples)
        let last = try #require(samples.last { $0.state == .running })
        let shown = try #require(model.history.displayedSample)
        #expect(shown.state == .finished)
        #expect(shown.clients.map(\.targetRate) == last.clients.map(\.targetRate))
        #expect(shown.clients.map(\.throughput) == last.clients.map(\.throughput))
        #expect(shown.settings == last.settings)
    }

    @Test func timeTravelShowsTheSelectedMomentInsteadOfTheEnd() {
        var model = dashboard(Story().finished())
        #expect(model.render(size: Size(width: 120, height: 40)).plainText.contains("at most"))
        for key in "S25" { _ = model.handle(.key(.character(key))) }
        _ = model.handle(.key(.enter))
        let past = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(!past.contains("has ended") && !past.contains("at most"))
    }

    /// Waiters that time out at the same age, but at different times, must be reported separately.
    @Test func oldestWaitersWithEqualAgesAreDistinguished() throws {
        var sample = try #require(Story().samples(until: 0).first)
        sample.database.waitingReaders = [
            WaiterStatus(origin: AccessOrigin(name: "scan"), waitedNanoseconds: 1_000_000_000)
        ]
        for (size, screen) in [((120, 40), "1"), ((80, 24), "1"), ((120, 40), "3")] {
            var model = DashboardModel()
            _ = model.handle(.key(.character(try #require(screen.first))))
            for sequence in 0..<2 {
                sample.sequence = sequence
                sample.time = 12.5 + 2 * Double(sequence)
                model.ingest(sample)
                let picture = model.render(size: Size(width: size.0, height: size.1)).plainText
                #expect(picture.contains(sequence == 0 ? "11.5 s" : "13.5 s"))
            }
        }
    }
}
