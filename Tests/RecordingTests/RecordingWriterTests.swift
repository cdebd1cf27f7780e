import Foundation
import SQLiteEngine
import Telemetry
import Testing

@testable import Recording

/// Tests the recording file and its size and age limits.
struct RecordingWriterTests {
    private func mode(of path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return attributes[.posixPermissions] as? Int
    }

    @Test func samplesAreRestored() throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<150)
            let reader = try RecordingReader(path: path)
            let rows = reader.contents.rows
            #expect(rows.count == 150)
            #expect(rows.count { $0.base == nil } == 3)
            for (second, row) in rows.enumerated() {
                #expect(row.time == Fixture.start + Int64(second) * 1000)
                #expect(try reader.value(of: row) == .run(Fixture.sample(Double(second))))
            }
            #expect(reader.contents.events.count == 150)
            #expect(reader.contents.sessions.map(\.endReason) == ["the command ended"])
            #expect(reader.contents.problems == [])
        }
    }

    @Test func aCompleteRecordingIsASinglePrivateFile() throws {
        try withFile { path in
            let writer = try Fixture.writer(path)
            try writer.write([Fixture.entry(0, sample: Fixture.sample(0))])
            #expect(try mode(of: path) == 0o600)
            #expect(try mode(of: path + "-wal") == 0o600)
            try writer.end(reason: "")
            writer.close()
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.recording"])
        }
    }

    @Test func aRecordingThatAnotherProgramHasOpenIsComplete() throws {
        try withFile { path in
            let recorder = try FlightRecorder(
                path: path,
                limits: RecordingLimits(),
                info: RecordingInfo(kind: .run, tool: "poolgauge test", title: "inbox"),
                mask: { $0 }
            )
            recorder.record(.run(Fixture.sample(0)))
            let reader = try DatabaseQueue(path: path)
            try reader.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM session") }
            let summary = recorder.end(reason: "the command ended")
            #expect(summary.failure == nil)
            #expect(summary.samples == 1)
            #expect(summary.keepsLog)
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
            try reader.close()
            let contents = try RecordingReader(path: path).contents
            #expect(contents.rows.count == 1)
            #expect(contents.sessions.map(\.endReason) == ["the command ended"])
        }
    }

    /// A copy of the file and its log represents the files that a killed process leaves behind.
    @Test func committedSamplesSurviveAKill() throws {
        try withFile { path in
            let writer = try Fixture.writer(path)
            for second in 0..<20 {
                try writer.write([
                    Fixture.entry(Double(second), sample: Fixture.sample(Double(second)))
                ])
            }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: path + suffix,
                    toPath: path + ".2" + suffix
                )
            }
            writer.close()
            let reader = try RecordingReader(path: path + ".2")
            #expect(reader.contents.rows.count == 20)
            #expect(reader.contents.sessions.first?.end == nil)
        }
    }

    @Test func literalsAreMasked() throws {
        try withFile { path in
            let writer = try Fixture.writer(path, mask: { $0.replacing("'secret'", with: "?") })
            try writer.write([Fixture.entry(0, sample: Fixture.sample(0))])
            try writer.end(reason: "")
            writer.close()
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(data.range(of: Data("folder = ?".utf8)) != nil)
            #expect(data.range(of: Data("secret".utf8)) == nil)
        }
    }

    @Test func aSecondRecordingAddsASession() throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<3)
            try Fixture.write(path, seconds: 100..<103)
            let contents = try RecordingReader(path: path).contents
            #expect(contents.sessions.count == 2)
            #expect(contents.rows.count == 6)
            let gaps = contents.allGaps()
            #expect(gaps.map(\.end) == [Fixture.start + 100_000])
            #expect(gaps.first?.reason == "between two sessions: the command ended")
        }
    }

    // MARK: Refusals

    @Test func otherFilesAreRefusedAndUnchanged() throws {
        try withFile { path in
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            let message = refusal { _ = try Fixture.writer(path) }
            #expect(message == "'\(path)' exists and is not a recording; specify another name")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
            let other = path + ".sqlite"
            let queue = try DatabaseQueue(path: other)
            try queue.write { try $0.execute(sql: "CREATE TABLE session(x)") }
            try queue.close()
            #expect(refusal { _ = try Fixture.writer(other) }?.contains("not a recording") == true)
            #expect(
                refusal { _ = try RecordingReader(path: other) }
                    == "'\(other)' is a database, but not a recording; specify a file "
                    + "created with --record or 'poolgauge record'"
            )
        }
    }

    @Test func linksAreRefused() throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<1)
            let link = path + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(refusal { _ = try Fixture.writer(link) }?.contains("is a link") == true)
            let dangling = path + ".dangling"
            try FileManager.default.createSymbolicLink(
                atPath: dangling,
                withDestinationPath: path + ".new"
            )
            #expect(refusal { _ = try Fixture.writer(dangling) }?.contains("is a link") == true)
            #expect(!FileManager.default.fileExists(atPath: path + ".new"))
        }
    }

    @Test func aNewerFormatIsExplained() throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<1)
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: "PRAGMA user_version = 3") }
            try queue.close()
            let expected = "has format 3 and was written by a newer version of poolgauge"
            #expect(refusal { _ = try RecordingReader(path: path) }?.contains(expected) == true)
            #expect(refusal { _ = try Fixture.writer(path) }?.contains(expected) == true)
        }
    }

    /// Returns samples of a run with ten samples per second.
    ///
    /// Most values change once per second.
    private func fastSamples() -> [(time: Double, sample: Sample)] {
        (0..<300).map { tick in
            var sample = Fixture.sample(Double(tick / 10))
            sample.sequence = tick
            sample.time = Double(tick) / 10
            return (Double(tick) / 10, sample)
        }
    }

    private func write(_ samples: [(time: Double, sample: Sample)], to path: String) throws {
        let writer = try Fixture.writer(path)
        try writer.write(samples.map { Fixture.entry($0.time, sample: $0.sample) })
        try writer.end(reason: "")
        writer.close()
    }

    @Test func samplesAreStoredAsDifferencesFromRecentSamples() throws {
        try withFile { path in
            let samples = fastSamples()
            try write(samples, to: path)
            let reader = try RecordingReader(path: path)
            let rows = reader.contents.rows
            let complete = Set(rows.filter { $0.base == nil }.map(\.id))
            #expect(complete.count == 1)
            #expect(rows.contains { row in row.base.map { !complete.contains($0) } ?? false })
            for index in Array(rows.indices) + [7, 290, 40, 0, 155] {
                #expect(try reader.value(of: rows[index]) == .run(samples[index].sample))
            }
        }
    }

    /// In version 1, the base of a sample is always a complete sample.
    @Test func recordingsOfVersion1AreReadAndExtended() throws {
        try withFile { path in
            let samples = fastSamples()
            try write(samples, to: path)
            let base = try RecordedValue.run(samples[0].sample).json()
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                for (index, entry) in samples.enumerated().dropFirst() {
                    let text = try RecordedValue.run(entry.sample).json()
                    let delta = Data(TextDelta.encode(text, from: base))
                    try db.execute(
                        sql: "UPDATE payload SET data = ? WHERE sample = ?",
                        arguments: [delta, index + 1]
                    )
                }
                try db.execute(
                    sql: "UPDATE sample SET base = 1 WHERE id > 1; PRAGMA user_version = 1"
                )
            }
            try queue.close()
            for sessions in 1...2 {
                let reader = try RecordingReader(path: path)
                for (row, entry) in zip(reader.contents.rows, samples) {
                    #expect(try reader.value(of: row) == .run(entry.sample))
                }
                #expect(reader.contents.sessions.count == sessions)
                #expect(try RecordingHeader(path: path).version == sessions)
                if sessions == 1 { try Fixture.write(path, seconds: 100..<103) }
            }
        }
    }

    #if os(Linux)
    @Test func onlyOneProcessRecordsToAFile() throws {
        try withFile { path in
            let writer = try Fixture.writer(path)
            let message = refusal { _ = try Fixture.writer(path) }
            #expect(message?.contains("another process is recording") == true)
            writer.close()
        }
    }
    #endif

    // MARK: Limits

    @Test func oldSamplesAreDeleted() throws {
        try withFile { path in
            var limits = RecordingLimits()
            limits.retainNanoseconds = 300_000_000_000
            let writer = try Fixture.writer(path, limits: limits)
            for second in 0..<1_000 {
                try writer.write([
                    Fixture.entry(Double(second), sample: Fixture.sample(Double(second)))
                ])
            }
            try writer.end(reason: "")
            writer.close()
            let contents = try RecordingReader(path: path).contents
            let first = try #require(contents.start)
            // Samples are deleted in units of one minute.
            let age = Fixture.start + 999_000 - first
            #expect((300_000...361_000).contains(age), "\(age)")
            #expect(contents.events.allSatisfy { $0.time >= first })
        }
    }

    @Test func theFileStaysBelowItsMaximumSize() throws {
        try withFile { path in
            var limits = RecordingLimits()
            limits.maximumBytes = RecordingLimits.smallestMaximum
            let writer = try Fixture.writer(path, limits: limits)
            var largest: UInt64 = 0
            for second in 0..<3_000 {
                let sql = "SELECT \(second) FROM " + String(repeating: "t\(second)", count: 100)
                let sample = Fixture.sample(Double(second), sql: sql)
                try writer.write([Fixture.entry(Double(second), sample: sample)])
                largest = max(largest, RecordingFile.size(ofFileAt: path))
            }
            try writer.end(reason: "")
            writer.close()
            #expect(largest <= RecordingLimits.smallestMaximum, "\(largest)")
            #expect(largest > RecordingLimits.smallestMaximum / 2, "\(largest)")
            let reader = try RecordingReader(path: path)
            #expect(reader.contents.rows.count > 50)
            #expect(reader.contents.rows.last?.time == Fixture.start + 2_999_000)
            for row in reader.contents.rows { _ = try reader.value(of: row) }
        }
    }
}
