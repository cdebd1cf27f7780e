import Foundation
import Recording
import SQLiteEngine
import Telemetry

/// A path that records samples of a database to a file in the folder.
enum RecordingPath {
    private static let sampleCount = 10

    /// An error with the message of a recorder that ended early.
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Records the samples.
    ///
    /// The program continues even if the recording fails.
    static func run(
        _ writer: any DatabaseWriter,
        _ folder: FaultFolder,
        _ rows: inout WrittenRows
    ) throws {
        guard let pool = writer as? DatabasePool else { return }
        try rows.write(pool)
        let recorder = try FlightRecorder(
            path: folder.recording,
            limits: RecordingLimits(),
            info: RecordingInfo(kind: .run, tool: "a test", title: "faults"),
            mask: { $0 }
        )
        for second in 0..<sampleCount {
            let sample = Sample(
                sequence: second,
                time: Double(second),
                scenario: "faults",
                arm: "pool",
                database: pool.status()
            )
            recorder.record(.run(sample))
        }
        let summary = recorder.end(reason: "the path has ended")
        rows.recordedSamples = summary.samples
        try Violation.check(
            (summary.failure == nil) == (recorder.failure == nil),
            "the summary and the recorder contradict each other"
        )
        try rows.write(pool)
        if let failure = recorder.takeFailure() { throw Failure(description: failure) }
        try Violation.check(
            summary.samples == sampleCount,
            "\(summary.samples) samples were recorded"
        )
    }

    /// Returns whether an error names the file and the problem.
    static func isExplained(_ error: any Error) -> Bool {
        guard error is RecordingError || error is Failure else { return false }
        let text = "\(error)"
        return ["cannot record to '", "cannot write to '", "cannot read '", "recording to '"]
            .contains { text.hasPrefix($0) }
    }

    /// Checks that a recording contains the samples that its recorder has reported as written.
    @Sendable static func check(_ folder: FaultFolder, _ rows: WrittenRows) throws -> String? {
        guard FileManager.default.fileExists(atPath: folder.recording) else {
            let samples = rows.recordedSamples ?? 0
            return samples == 0 ? nil : "a recording with \(samples) samples is missing"
        }
        guard let samples = rows.recordedSamples else {
            // The recorder has not started, or the path ended before the recorder.
            return "a recorder that failed to start left its file"
        }
        let contents = try RecordingReader(path: folder.recording).contents
        guard contents.problems.isEmpty else { return "the recording: \(contents.problems)" }
        return contents.rows.count == samples
            ? nil : "the recording has \(contents.rows.count) of \(samples) samples"
    }
}
