import Foundation
import Recording
import Synchronization
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
