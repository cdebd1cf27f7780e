import Foundation
import PoolgaugeAgent
import Recording
import SQLTrace
import SQLiteWatch
import Telemetry
import Text

/// A command's recording, which ends with a message on standard error.
struct RecordingSession: Sendable {
    let recorder: FlightRecorder

    init(
        path: String,
        limits: RecordingLimits,
        info: RecordingInfo,
        keepsLiterals: Bool,
        option: String = "--record",
        isNewFile: Bool = false,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        do {
            recorder = try FlightRecorder(
                path: path,
                limits: limits,
                info: info,
                mask: { sql in keepsLiterals ? sql : MaskedSQL.text(sql) },
                mustBeNew: isNewFile,
                onFailure: onFailure
            )
        } catch { throw CommandFailure(isNewFile ? "\(error)" : "\(option): \(error)") }
    }

    /// Writes the remaining samples and reports the size on standard error.
    func finish(reason: String = "the command ended") {
        let summary = recorder.end(reason: reason)
        if let failure = recorder.failure {
            StandardError.write("poolgauge: \(Escaping.terminal(failure))\n")
        }
        StandardError.write("poolgauge: \(Escaping.terminal(Self.text(of: summary)))\n")
    }

    /// Describes a recording: its duration, number of samples, size, and size per hour, and the log
    /// file to keep, if any.
    static func text(of summary: RecordingSummary) -> String {
        guard summary.samples > 0 else { return "nothing was recorded" }
        let samples = HumanUnits.counted(summary.samples, "sample", "samples")
        let hourlySize =
            summary.bytesPerHour.map { " (\(HumanUnits.bytes($0)) per hour)" } ?? ""
        let logHint =
            summary.keepsLog
            ? "; another program has it open, so keep '\(summary.path)-wal' next to it" : ""
        return
            "recorded \(samples) in \(HumanUnits.seconds(summary.seconds)) to '\(summary.path)': "
            + HumanUnits.bytes(summary.bytes) + hourlySize + logHint
    }
}

extension RecordingInfo {
    /// Creates a description of a session of this program.
    init(_ kind: RecordedKind, title: String, scenario: String? = nil) {
        self.init(kind: kind, tool: "poolgauge \(Poolgauge.version)", title: title)
        self.scenario = scenario
        environment = RecordingEnvironment.json
    }
}

/// The machine and the libraries used for a recording.
struct RecordingEnvironment: Codable {
    var operatingSystem = ProcessInfo.processInfo.operatingSystemVersionString
    var cpuCount = ProcessInfo.processInfo.activeProcessorCount
    var versions = HeadlessRun.versions

    static var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? String(decoding: encoder.encode(RecordingEnvironment()), as: UTF8.self)
    }
}
