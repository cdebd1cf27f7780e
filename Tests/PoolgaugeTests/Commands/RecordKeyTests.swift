import Foundation
import Recording
import SQLiteEngine
import TestSupport
import Testing

@testable import poolgauge

/// Tests the key that starts and stops a recording.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RecordKeyTests {
    private func picture(
        _ arguments: [String],
        press keys: String,
        after time: String = "1s",
        in folder: URL
    ) throws -> (picture: String, errors: String) {
        let outcome = try HeadlessProgram.run(
            arguments
                + ["--press", keys, "--screenshot", "picture.txt", "--after", time]
                + ["--size", "120x44"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome)")
        let picture = folder.appendingPathComponent("picture.txt")
        return (try String(contentsOf: picture, encoding: .utf8), outcome.errors)
    }

    private func recordings(in folder: URL) -> [String] {
        contents(of: folder).filter { $0.hasSuffix(".recording") }.sorted()
    }

    @Test func theKeyStartsAndStopsARecordingOfARun() throws {
        try withTemporaryFolder { folder in
            let run = ["dashboard", "reader-storm"]
            let (started, errors) = try picture(run, press: "R", in: folder)
            #expect(started.contains("● REC"))
            let first = try #require(recordings(in: folder).first)
            #expect(started.contains("recording to '\(first)'"))
            #expect(errors.contains("to '\(first)'"), "\(errors)")
            let path = folder.appendingPathComponent(first).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try !RecordingReader(path: path).contents.rows.isEmpty)

            let (stopped, _) = try picture(run, press: "R7171717171R1", in: folder)
            #expect(!stopped.contains("● REC"))
            #expect(recordings(in: folder).count == 2)
        }
    }

    #if os(Linux)
    @Test func theKeyRecordsAWatchAndReportsAnUnwritableFolder() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let pool = try DatabasePool(path: path)
            try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            let (started, _) = try picture(["top", path], press: "R", in: folder)
            #expect(started.contains("● REC"))
            #expect(started.contains("recording to 'poolgauge-"))
            #expect(recordings(in: folder).count == 1)
            // No user can create a file in this folder.
            let kernel = URL(fileURLWithPath: "/proc")
            let target = folder.appendingPathComponent("refused.txt").path
            let outcome = try HeadlessProgram.run(
                ["top", path, "--press", "R", "--screenshot", target, "--after", "1s"],
                in: kernel,
                temporary: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let refused = try String(contentsOfFile: target, encoding: .utf8)
            #expect(refused.contains("use another folder or --record"))
            #expect(!refused.contains("● REC"))
        }
    }
    #endif

    @Test func aReplayCannotBeRecorded() throws {
        try withTemporaryFolder { folder in
            _ = try picture(["dashboard", "reader-storm"], press: "R", in: folder)
            let file = try #require(recordings(in: folder).first)
            let (text, _) = try picture(["replay", file], press: "R", in: folder)
            #expect(text.contains("a replay cannot be recorded"))
            #expect(recordings(in: folder) == [file])
        }
    }

    @Test func newFilesNeverReplaceExistingFiles() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        let date = Date(timeIntervalSince1970: 1_795_715_535)
        func path(_ taken: Set<String>) -> String {
            EpisodeFolder.newPath("poolgauge", at: date, calendar: calendar) { taken.contains($0) }
        }
        let first = "poolgauge-2026-11-26-175215.recording"
        #expect(path([]) == first)
        #expect(path([first]) == "poolgauge-2026-11-26-175215-2.recording")
    }

    @Test func aRecordingToAnExistingFileIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.recording").path
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: CommandFailure.self) {
                try RecordingSession(
                    path: path,
                    limits: RecordingLimits(),
                    info: RecordingInfo(.run, title: "a"),
                    keepsLiterals: false,
                    isNewFile: true
                )
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("text".utf8))
        }
    }
}
