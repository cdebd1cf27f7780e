import Findings
import SQLiteWatch
import Testing

@testable import Recording

/// Tests searches and reports on a recording with a wait from second 20 to 22, a large log from
/// second 40, and `SQLITE_BUSY` in second 60.
struct RecordingReportTests {
    private func withReader(_ body: (RecordingReader) throws -> Void) throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<100) { second in
                Fixture.sample(
                    second,
                    wait: (20...22).contains(second) ? UInt64((second - 19) * 1e9) : 0,
                    walBytes: second >= 40 ? 100 << 20 : 1 << 20,
                    busy: second >= 60 ? 7 : 0,
                    saturation: (80..<90).contains(second) ? 0.75 : 0
                )
            }
            try body(RecordingReader(path: path))
        }
    }

    private func time(_ second: Int64) -> Int64 { Fixture.start + second * 1000 }

    @Test func theStartOfEachConditionIsFound() throws {
        try withReader { reader in
            let contents = reader.contents
            let cases: [(RecordedCondition, Int64)] = [
                (.wait(500_000_000), 20), (.wait(2_500_000_000), 22), (.log(64 << 20), 40),
                (.busy, 60), (.saturation(0.5), 80),
            ]
            for (condition, second) in cases {
                #expect(contents.start(of: condition, .after, time(0)) == time(second))
                #expect(contents.start(of: condition, .after, time(second)) == nil)
                #expect(contents.start(of: condition, .before, time(99)) == time(second))
                #expect(contents.start(of: condition, .before, time(second)) == nil)
            }
            #expect(contents.start(of: .saturation(0.9), .after, time(0)) == nil)
        }
    }

    @Test func theWorstSecondsAreReported() throws {
        try withReader { reader in
            let report = try RecordingReport(reader)
            #expect(report.samples == 100)
            #expect(report.seconds == 99)
            let source = try #require(report.sources.first)
            #expect(source.worstWait?.time.milliseconds == time(22))
            #expect(source.worstWait?.value == 3)
            #expect(source.worstLogGrowth?.time.milliseconds == time(40))
            #expect(source.worstLogGrowth?.value == Double(99 << 20))
            #expect(source.worstBusy?.time.milliseconds == time(60))
            #expect(source.worstBusy?.value == 7)
            #expect(source.worstSaturation?.time.milliseconds == time(80))
            #expect(source.busy == 7)
            let wait = try #require(report.longestWaits.first)
            #expect(report.longestWaits.count == 1)
            #expect(wait.seconds == 3)
            #expect(wait.detail?.hasPrefix("ui waits to read; import holds reader.") == true)
            #expect(report.gaps == [])
        }
    }

    @Test func aPeriodLimitsTheReport() throws {
        try withReader { reader in
            let report = try RecordingReport(reader, from: time(30), to: time(50))
            #expect(report.samples == 21)
            #expect(report.longestWaits == [])
            #expect(report.sources.first?.worstLogGrowth?.time.milliseconds == time(40))
            #expect(report.intervals.reduce(0) { $0 + $1.samples } == 21)
            let message = refusal { _ = try RecordingReport(reader, from: time(500)) }
            #expect(message?.hasPrefix("--from must be before the end of the recording") == true)
            let reversed = refusal {
                _ = try RecordingReport(reader, from: time(50), to: time(30))
            }
            #expect(reversed?.contains("must be before its end (--to)") == true)
            let none = refusal { _ = try RecordingReport(reader, from: time(500), to: time(600)) }
            #expect(none?.contains("the recording covers 2026-11-22T12:00:00.000Z to") == true)
        }
    }

    @Test func intervalsCoverEachSampleOnce() throws {
        try withReader { reader in
            let report = try RecordingReport(reader)
            #expect(report.intervals.map(\.seconds) == Array(repeating: 5, count: 20))
            #expect(report.intervals.map(\.samples) == Array(repeating: 5, count: 20))
            #expect(report.intervals[4].longestWait == 3)
            #expect(report.intervals[12].busy == 7)
        }
    }

    @Test func aTimeWithoutSamplesIsAGap() throws {
        try withFile { path in
            let writer = try Fixture.writer(path)
            for second in Array(0..<10) + Array(30..<40) {
                try writer.write([
                    Fixture.entry(Double(second), sample: Fixture.sample(Double(second)))
                ])
            }
            try writer.end(reason: "")
            writer.close()
            let report = try RecordingReport(RecordingReader(path: path))
            #expect(report.gaps.map(\.seconds) == [21])
            #expect(report.gaps.map(\.reason) == ["there is no sample"])
        }
    }

    /// Returns the report of a database whose log process 7 pins from second 3 to 6.
    private func watch(_ second: Int, isWaiting: Bool) -> WatchReport {
        let time = WatchTime(milliseconds: self.time(Int64(second)))
        var process = WatchedProcess(pid: 7, name: "web")
        process.waiting = WatchedWait(isWaiting: isWaiting, share: 1)
        if isWaiting { process.waiting?.seconds = 0.25 }
        var writer = WatchedProcess(pid: 8, name: "jobs")
        writer.locks = [WatchedLock(kind: .writer, since: time, seconds: 5, isContinuous: false)]
        var report = WatchReport(
            time: time,
            window: WatchWindow(
                seconds: 1,
                samples: 100,
                samplesPerSecond: 100,
                listSamples: 10,
                processorShare: 0
            ),
            file: WatchedFile(path: "/a.db", state: .present),
            processes: [process, writer],
            pins: [],
            tables: [],
            episodes: [],
            notes: []
        )
        report.findings =
            (3...6).contains(second)
            ? [Finding(.pinned, pid: 7, "web (7) pins the log for at least \(second) s.")] : []
        return report
    }

    @Test func findingsAreReportedOnceWithTheirTimes() throws {
        try withFile { path in
            let writer = try RecordingWriter(
                path: path,
                limits: RecordingLimits(),
                info: RecordingInfo(kind: .watch, tool: "poolgauge test", title: "/a.db"),
                clock: (time(0), 1),
                mask: { $0 },
                setup: nil
            )
            for second in 0..<10 {
                let report = watch(second, isWaiting: second == 4)
                try writer.write([.sample(.watch(report), milliseconds: time(Int64(second)))])
            }
            try writer.end(reason: "the command ended")
            writer.close()
            let report = try RecordingReport(RecordingReader(path: path))
            #expect(report.examinedSamples == 10 && report.findings.count == 1)
            let found = try #require(report.findings.first)
            #expect(found.start.milliseconds == time(3) && found.end.milliseconds == time(6))
            #expect(found.samples == 4 && found.finding.text.contains("at least 6 s"))
            // The hold of five seconds is not a wait.
            #expect(report.longestWaits.map(\.seconds) == [0.25])
        }
    }
}
