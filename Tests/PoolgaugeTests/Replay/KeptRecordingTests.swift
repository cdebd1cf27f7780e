import Foundation
import Recording
import TestSupport
import Testing
import WorkloadEngine

/// Tests a recording that version 0.2.0 wrote, with a result in the format `poolgauge.run/1`.
///
/// Do not write the recording again. A change that makes these tests fail also makes the recordings
/// of users unreadable.
@Suite(.timeLimit(.minutes(1)))
struct KeptRecordingTests {
    private let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Kept/run-0.2.0.rec")

    @Test func theReportContainsTheRun() throws {
        try withTemporaryFolder { folder in
            let before = try Data(contentsOf: file)
            let outcome = try HeadlessProgram.run(["report", file.path], in: folder)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("small-load"))
            #expect(outcome.output.contains("29 samples"))
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test func theReplayShowsTheRun() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["replay", file.path, "--press", ")", "--screenshot", "picture.txt"]
                    + ["--after", "200ms", "--size", "120x44"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let picture = try String(
                contentsOf: folder.appendingPathComponent("picture.txt"),
                encoding: .utf8
            )
            #expect(picture.contains("poolgauge  small-load"))
            #expect(picture.contains("END 1x"))
        }
    }

    @Test func theResultIsDecoded() throws {
        let reader = try RecordingReader(path: file.path)
        let result = try RunResult.decode(Data(reader.resultJSON().utf8))
        #expect(result.schema == "poolgauge.run/1")
        #expect(result.environment.versions["poolgauge"] == "0.2.0")
        #expect(result.runs.first?.clients.keys.sorted() == ["pay", "report", "ui"])
    }
}
