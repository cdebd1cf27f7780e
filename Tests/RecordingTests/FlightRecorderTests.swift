import Foundation
import Synchronization
import Testing

@testable import Recording

@Suite(.timeLimit(.minutes(1)))
struct FlightRecorderTests {
    /// A clock that advances by a second with each reading.
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(0)

        func read() -> RecordingClock.Reading {
            seconds.withLock { seconds in
                defer { seconds += 1 }
                return RecordingClock.Reading(
                    wall: Fixture.start + seconds * 1000,
                    monotonic: UInt64(seconds) * 1_000_000_000
                )
            }
        }
    }

    private func makeRecorder(
        _ path: String,
        setup: String? = nil,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> FlightRecorder {
        let clock = Clock()
        return try FlightRecorder(
            path: path,
            limits: RecordingLimits(),
            info: RecordingInfo(kind: .run, tool: "poolgauge test", title: "inbox"),
            mask: { $0 },
            now: { clock.read() },
            setup: setup,
            onFailure: onFailure
        )
    }

    @Test func endingTheRecordingWritesAllSamples() throws {
        try withFile { path in
            let recorder = try makeRecorder(path)
            for second in 0..<100 { recorder.record(.run(Fixture.sample(Double(second)))) }
            recorder.record(resultJSON: "{}")
            recorder.recordGap(source: "pool", nanoseconds: 2_000_000_000, reason: "restart")
            let summary = recorder.end(reason: "the command ended")
            #expect(summary.samples == 100)
            #expect(summary.seconds == 99)
            #expect(summary.bytesPerHour != nil)
            #expect(recorder.end(reason: "again") == summary)
            let reader = try RecordingReader(path: path)
            #expect(try reader.resultJSON() == "{}")
            let contents = reader.contents
            #expect(contents.rows.count == 100)
            #expect(contents.gaps.map(\.reason) == ["restart"])
            #expect(contents.gaps.map { $0.end - $0.start } == [2_000])
        }
    }

    /// A limit of 30 pages simulates a full disk.
    @Test func aFullDiskEndsTheRecordingWithOneNote() throws {
        try withFile { path in
            let notes = Mutex<[String]>([])
            let recorder = try makeRecorder(path, setup: "PRAGMA max_page_count = 30") { note in
                notes.withLock { $0.append(note) }
            }
            for second in 0..<1_000 {
                let sql = "SELECT " + String(repeating: "\(second)", count: 200)
                recorder.record(.run(Fixture.sample(Double(second), sql: sql)))
            }
            let summary = recorder.end(reason: "")
            let expected = "recording to '\(path)' ended: the disk is full"
            #expect(notes.withLock { $0 } == [expected])
            #expect(summary.failure == "the disk is full")
            #expect(recorder.takeFailure() == expected)
            #expect(recorder.takeFailure() == nil)
            // Later samples have no effect.
            recorder.record(.run(Fixture.sample(2_000)))
            #expect(try RecordingReader(path: path).contents.rows.count == summary.samples)
        }
    }

    @Test func aRecordingWithoutSamplesLeavesNoFile() throws {
        try withFile { path in
            let recorder = try makeRecorder(path)
            #expect(recorder.end(reason: "").samples == 0)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
