import Foundation
import PoolgaugeAgent
import Recording
import SQLTrace
import SQLiteWatch
import Synchronization
import Telemetry
import Text

/// The recordings of a dashboard.
///
/// The `--record` option or a key starts a recording. A key or the end of the dashboard stops it.
///
/// All methods can be called from any thread.
final class DisplayRecording: Sendable {
    /// A message for the dashboard.
    struct Note: Equatable {
        var text: String
        var isWarning = false
    }

    private struct State {
        /// The recording in progress.
        var current: RecordingSession?
        /// All recordings, in the order in which they started.
        var sessions: [RecordingSession] = []
        var notes: [Note] = []
    }

    private let state: Mutex<State>
    private let info: RecordingInfo
    private let limits: RecordingLimits
    private let keepsLiterals: Bool

    /// Prepares recordings for a dashboard, and starts the recording for `--record`, if specified.
    ///
    /// - Parameters:
    ///   - options: The options of the command, if it has any.
    ///   - info: The description of the sessions.
    ///   - keepsLiterals: Whether the recorded SQL keeps its literals.
    /// - Throws: ``CommandFailure`` if the `--record` file cannot be used for a recording.
    init(_ options: RecordingOptions?, _ info: RecordingInfo, keepsLiterals: Bool) throws {
        self.info = info
        self.keepsLiterals = keepsLiterals
        limits = options?.limits.limits ?? RecordingLimits()
        let session = try options?.start(info, keepsLiterals: keepsLiterals)
        state = Mutex(State(current: session, sessions: session.map { [$0] } ?? []))
    }

    /// The recorder of the recording in progress, or `nil`.
    var recorder: FlightRecorder? { state.withLock { $0.current?.recorder } }

    var isRecording: Bool { recorder != nil }

    /// Stops the recording in progress, or starts a recording to a new file in the current folder.
    func toggle() {
        let session = state.withLock { state in
            defer { state.current = nil }
            return state.current
        }
        if let session { stop(session) } else { start() }
    }

    /// Returns the messages since the last call.
    func takeNotes() -> [Note] {
        state.withLock { state in
            if let failure = state.current?.recorder.takeFailure() {
                state.notes.append(
                    Note(
                        text: failure + "; free space, or use another folder",
                        isWarning: true
                    )
                )
                state.current = nil
            }
            defer { state.notes = [] }
            return state.notes
        }
    }

    /// Ends the recordings and reports their sizes on standard error.
    func finish() {
        let sessions = state.withLock { state in
            state.current = nil
            return state.sessions
        }
        for session in sessions { session.finish() }
    }

    private func note(_ text: String, isWarning: Bool = false) {
        state.withLock { $0.notes.append(Note(text: text, isWarning: isWarning)) }
    }

    private func start() {
        let path = EpisodeFolder.newPath("poolgauge", at: Date())
        guard access(".", W_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            return note(
                "no recording in this folder (\(reason)); use another folder or --record",
                isWarning: true
            )
        }
        do {
            let session = try RecordingSession(
                path: path,
                limits: limits,
                info: info,
                keepsLiterals: keepsLiterals,
                isNewFile: true
            )
            state.withLock { state in
                state.current = session
                state.sessions.append(session)
            }
            note("recording to '\(path)'")
        } catch {
            let problem = (error as? CommandFailure)?.message ?? "\(error)"
            let remedy = "; use another folder"
            let hasRemedy = problem.hasSuffix(remedy)
            note(problem + (hasRemedy ? "" : remedy) + " or --record", isWarning: true)
        }
    }

    /// Ends a recording on another thread, because writing to the disk may be slow.
    private func stop(_ session: RecordingSession) {
        Thread.detachNewThread { [self] in
            let summary = session.recorder.end(reason: "stopped with a key")
            if let failure = session.recorder.takeFailure() { note(failure, isWarning: true) }
            note(RecordingSession.text(of: summary))
        }
    }
}

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
        self.init(kind: kind, tool: "poolgauge \(HeadlessRun.version)", title: title)
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

extension RecordingOptions {
    /// Starts the recording if `--record` was specified.
    ///
    /// - Parameters:
    ///   - info: The description of the session.
    ///   - keepsLiterals: Whether the recorded SQL keeps its literals.
    /// - Returns: The recording, or `nil` without `--record`.
    /// - Throws: ``CommandFailure`` if the file cannot be used for a recording.
    func start(_ info: RecordingInfo, keepsLiterals: Bool) throws -> RecordingSession? {
        try record.map {
            try RecordingSession(
                path: $0,
                limits: limits.limits,
                info: info,
                keepsLiterals: keepsLiterals
            )
        }
    }
}
