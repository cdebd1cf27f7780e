import Findings
import Foundation
import SQLiteWatch
import Synchronization
import Testing

@testable import Recording

@Suite(.timeLimit(.minutes(1)))
struct EpisodeRecorderTests {
    private static let start: Int64 = 1_790_000_000_000

    /// A watch with one report per second, and the messages of its recorder.
    private final class Watch: Sendable {
        let folder: String
        let second = Mutex(0)
        let ended = Mutex<[RecordingSummary]>([])
        let failures = Mutex<[String]>([])

        init(_ folder: String) { self.folder = folder }

        func recorder(
            _ triggers: [(String, WatchCondition)],
            _ change: (inout EpisodeOptions) -> Void = { _ in }
        ) throws -> EpisodeRecorder {
            var options = EpisodeOptions(
                triggers: triggers.map { EpisodeOptions.Trigger(text: $0.0, condition: $0.1) }
            )
            change(&options)
            return try EpisodeRecorder(
                folder: folder,
                options: options,
                info: RecordingInfo(kind: .watch, tool: "poolgauge test", title: "/a.db"),
                mask: { $0 },
                now: { [self] in Self.reading(second.withLock { $0 }) },
                onEnd: { [self] summary in ended.withLock { $0.append(summary) } },
                onFailure: { [self] text in failures.withLock { $0.append(text) } }
            )
        }

        private static func reading(_ second: Int) -> RecordingClock.Reading {
            RecordingClock.Reading(
                wall: start + Int64(second) * 1000,
                monotonic: UInt64(second) * 1_000_000_000
            )
        }

        /// Records one report per second.
        func run(
            _ recorder: EpisodeRecorder,
            _ seconds: Range<Int>,
            path: String = "/a.db",
            _ change: (inout WatchReport, Int) -> Void
        ) {
            for second in seconds {
                self.second.withLock { $0 = second }
                let time = WatchTime(milliseconds: start + Int64(second) * 1000)
                var report = WatchReport(
                    time: time,
                    window: WatchWindow(
                        seconds: 1,
                        samples: 100,
                        samplesPerSecond: 100,
                        listSamples: 10,
                        processorShare: 0
                    ),
                    file: WatchedFile(path: path, state: .present),
                    processes: [],
                    pins: [],
                    tables: [],
                    episodes: [],
                    notes: []
                )
                change(&report, second)
                recorder.record([report])
            }
        }

        var files: [String] { EpisodeFolder.recordings(in: folder) ?? [] }
    }

    private func withWatch(_ body: (Watch) throws -> Void) throws {
        try withFile { path in try body(Watch(path + ".folder")) }
    }

    /// A report with a hold of `seconds` that ended in its interval.
    private func hold(_ seconds: Double, isContinuous: Bool = true, in report: inout WatchReport) {
        var episode = WatchEpisode(
            kind: .writer,
            pid: 7,
            name: "jobs",
            start: report.time,
            seconds: seconds
        )
        episode.end = report.time
        episode.isContinuous = isContinuous
        report.episodes = [episode]
    }

    private let holdTrigger = ("hold > 1s", WatchCondition(.hold, .more, 1))

    @Test func aRecordingContainsTheTimeAroundItsEvent() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([holdTrigger])
            watch.run(recorder, 0..<120) { report, second in
                report.findings = [Finding(.settings, "always")]
                if second == 60 { hold(1.5, in: &report) }
                if second < 62 { report.findings.append(Finding(.pinned, pid: 7, "web (7) pins")) }
                if second > 58 { report.findings.append(Finding(.busy, pid: 7, "1 failed")) }
                // A process that may have released the lock in between has not held it.
                if second == 100 { hold(5, isContinuous: false, in: &report) }
            }
            recorder.end()
            #expect(watch.files.count == 1 && watch.failures.withLock(\.self).isEmpty)
            let path = try #require(watch.files.first)
            #expect(path.hasPrefix(watch.folder + "/a.db-"))
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let reader = try RecordingReader(path: path)
            let seconds = reader.contents.rows.map { ($0.time - Self.start) / 1000 }
            #expect(seconds == Array(30...70))
            #expect(reader.contents.sessions.map(\.endReason) == ["the event ended"])
            let report = try RecordingReport(reader)
            #expect(report.triggers?.map(\.text) == ["hold > 1s (1.5 s)"])
            #expect(report.messages.isEmpty)
            // What is found in all samples is not the reason of the event.
            #expect(report.findings.map(\.finding.kind) == [.pinned, .busy, .settings])
        }
    }

    @Test func furtherEventsBelongToTheSameRecording() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([
                holdTrigger, ("busy", WatchCondition(.busy, .more, 0)),
            ]) { $0.keepNanoseconds = 5_000_000_000 }
            watch.run(recorder, 0..<100) { report, second in
                var statement = WatchedStatement(sql: "UPDATE t SET a = ?")
                // The counts of a trace never decrease.
                statement.busy = second < 40 ? 3 : 5
                report.statements = [statement]
                if second == 35 { hold(2, in: &report) }
            }
            recorder.end()
            let times = try watch.files.map { path in
                try RecordingReader(path: path).contents.events.map {
                    "\(($0.time - Self.start) / 1000) \($0.message)"
                }
            }
            // The first report counts what failed since the start of the trace.
            #expect(times == [["0 busy (3)"], ["35 hold > 1s (2.0 s)", "40 busy (2)"]])
        }
    }

    @Test func aConditionThatRemainsMetIsRecordedOnce() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([("pin >= 0s", WatchCondition(.pin, .atLeast, 0))])
            watch.run(recorder, 0..<1000) { _, _ in }
            recorder.end()
            #expect(watch.files.count == 1)
            #expect(watch.ended.withLock { $0.map(\.seconds) } == [300])
        }
    }

    @Test func eachDatabaseHasRecordingsOfItsOwn() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([holdTrigger])
            for path in ["/x/a.db", "/y/a.db"] {
                watch.run(recorder, 0..<5, path: path) { report, second in
                    if second == 3 { hold(2, in: &report) }
                }
            }
            recorder.end()
            let sources = try watch.files.map { path in
                try RecordingReader(path: path).contents.sources.map(\.name)
            }
            #expect(Set(sources) == [["/x/a.db"], ["/y/a.db"]])
        }
    }

    @Test func theOldestRecordingsAreRemoved() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([holdTrigger]) { $0.maximumPerHour = 2 }
            let other = watch.folder + "/other.recording"
            try Data("no recording".utf8).write(to: URL(fileURLWithPath: other))
            // The files change now, whatever the times of their samples are.
            let now = Int(Date().timeIntervalSince1970) - Int(Self.start / 1000)
            watch.run(recorder, now..<(now + 400)) { report, second in
                if (second - now) % 100 == 50 { hold(2, in: &report) }
            }
            recorder.end()
            #expect(watch.files.count == 2)
            #expect(FileManager.default.fileExists(atPath: other))
            let newest = try watch.files.map {
                try RecordingReader(path: $0).contents.events.map(\.time)[0]
            }
            #expect(newest.map { ($0 - Self.start) / 1000 - Int64(now) } == [250, 350])
            let folder = try EpisodeFolder(path: watch.folder)
            folder.removeOldest(olderThan: nil, bytes: 1, since: nil, except: [watch.files[1]])
            #expect(watch.files.count == 2)
            folder.removeOldest(olderThan: nil, bytes: 1, since: nil, except: [])
            #expect(watch.files.count == 1)
        }
    }

    @Test func aFailureDoesNotPreventTheNextRecording() throws {
        try withWatch { watch in
            let recorder = try watch.recorder([holdTrigger])
            try FileManager.default.removeItem(atPath: watch.folder)
            watch.run(recorder, 0..<50) { report, second in
                if second == 10 || second == 40 { hold(2, in: &report) }
                if second == 20 { mkdir(watch.folder, 0o700) }
            }
            recorder.end()
            #expect(watch.files.count == 1)
            let failures = watch.failures.withLock { $0 }
            let failure = try #require(failures.first)
            #expect(failure.hasPrefix("an event was not recorded: cannot write to"))
        }
    }

    @Test func theFolderMustBeAFolder() throws {
        try withFile { path in
            try Data().write(to: URL(fileURLWithPath: path))
            let text = refusal { _ = try Watch(path).recorder([holdTrigger]) }
            #expect(text?.contains("is not a folder") == true)
        }
    }
}
