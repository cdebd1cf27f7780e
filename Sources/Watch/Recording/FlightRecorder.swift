import Dispatch
import Foundation
import Synchronization
import Telemetry

/// An object that records samples on a separate thread, in at most one transaction every 0.8
/// seconds.
///
/// Recording never blocks the caller. The first error ends the recording, but not the run or watch,
/// and is available as ``failure``.
///
/// You can call all methods from any thread.
package final class FlightRecorder: Sendable {
    package let path: String

    fileprivate struct State {
        var pending: [RecordingEntry] = []
        var dropped: (count: Int, since: Int64, until: Int64)?
        var isEnding = false
        var endReason = ""
        var failure: String?
        /// Whether ``takeFailure()`` has returned the failure.
        var isFailureTaken = false
        var summary: RecordingSummary?
        var clock: RecordingClock
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> RecordingClock.Reading
    private let onFailure: @Sendable (String) -> Void
    private let wakeSignal = DispatchSemaphore(value: 0)
    private let endSignal = DispatchSemaphore(value: 0)

    /// The maximum number of pending samples, for example while the disk does not respond.
    private static let maximumPendingCount = 2_000
    /// The time between two transactions, in milliseconds.
    ///
    /// If the process is killed, the recording lacks at most its last second. This second includes
    /// the time since the last transaction and the duration of the current transaction.
    private static let period = 800

    /// Creates or extends a recording and starts the thread.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limits: The limits of the recording.
    ///   - info: The description of the session.
    ///   - mask: A closure that removes literals from SQL, or that returns the SQL unchanged.
    ///   - mustBeNew: Whether to throw an error if the file exists. By default, an existing
    ///     recording is extended.
    ///   - start: The time of the first sample, if it was measured earlier.
    ///   - onFailure: A closure that receives the error that ended the recording, on the recorder's
    ///     thread.
    /// - Throws: ``RecordingError`` if the file cannot be written.
    package convenience init(
        path: String,
        limits: RecordingLimits,
        info: RecordingInfo,
        mask: @escaping @Sendable (String) -> String,
        mustBeNew: Bool = false,
        start: RecordingClock.Reading? = nil,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try self.init(
            path: path,
            limits: limits,
            info: info,
            mask: mask,
            now: { RecordingClock.Reading.now },
            mustBeNew: mustBeNew,
            start: start,
            onFailure: onFailure
        )
    }

    init(
        path: String,
        limits: RecordingLimits,
        info: RecordingInfo,
        mask: @escaping @Sendable (String) -> String,
        now: @escaping @Sendable () -> RecordingClock.Reading,
        mustBeNew: Bool = false,
        start: RecordingClock.Reading? = nil,
        setup: String? = nil,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        self.path = path
        self.now = now
        self.onFailure = onFailure
        let start = start ?? now()
        let clock = RecordingClock(start: start)
        state = Mutex(State(clock: clock))
        let opening = Mutex<(any Error)?>(nil)
        let openSignal = DispatchSemaphore(value: 0)
        // The thread creates the writer, because only one thread may use a writer.
        let thread = Thread { [self] in
            defer { endSignal.signal() }
            let writer: RecordingWriter
            do {
                writer = try RecordingWriter(
                    path: path,
                    limits: limits,
                    info: info,
                    clock: (start.wall, start.monotonic),
                    mask: mask,
                    mustBeNew: mustBeNew,
                    setup: setup
                )
            } catch {
                opening.withLock { $0 = error }
                openSignal.signal()
                return
            }
            openSignal.signal()
            run(writer)
        }
        thread.name = "recorder"
        thread.start()
        openSignal.wait()
        if let error = opening.withLock({ $0 }) { throw error }
    }

    /// Records a value that has just been measured.
    package func record(_ value: RecordedValue) { record(value, at: now()) }

    /// Records a value that was measured at a time that is not before that of the previous value,
    /// and the events that it shows.
    package func record(
        _ value: RecordedValue,
        at reading: RecordingClock.Reading,
        events: [String] = []
    ) {
        state.withLock { state in
            let (time, jump) = state.clock.time(at: reading)
            if let jump {
                state.append(.gap(source: nil, start: jump.start, end: time, reason: jump.reason))
            }
            guard state.pending.count < Self.maximumPendingCount else {
                let dropped = state.dropped
                state.dropped = ((dropped?.count ?? 0) + 1, dropped?.since ?? time, time)
                return
            }
            state.append(.sample(value, milliseconds: time))
            for event in events {
                state.append(
                    .event(source: value.sourceName, milliseconds: time, message: event)
                )
            }
        }
    }

    /// Records a period without data that ends now.
    package func recordGap(source: String?, nanoseconds: UInt64, reason: String) {
        let reading = now()
        state.withLock { state in
            let (end, _) = state.clock.time(at: reading)
            let start = end - Int64(clamping: nanoseconds / 1_000_000)
            state.append(.gap(source: source, start: start, end: end, reason: reason))
        }
    }

    /// Records the result of a run as JSON (`poolgauge.run/1`).
    package func record(resultJSON json: String) {
        state.withLock { $0.append(.result(json: json)) }
    }

    /// The error that ended the recording, or `nil`.
    package var failure: String? { state.withLock { $0.failure } }

    /// Returns the error that ended the recording, or `nil` if there is none or an earlier call has
    /// returned the error.
    package func takeFailure() -> String? {
        state.withLock { state in
            guard !state.isFailureTaken, let failure = state.failure else { return nil }
            state.isFailureTaken = true
            return failure
        }
    }

    /// Writes the remaining samples and closes the file.
    ///
    /// Later calls return the same summary.
    @discardableResult
    package func end(reason: String) -> RecordingSummary {
        state.withLock { state in
            if !state.isEnding { state.endReason = reason }
            state.isEnding = true
        }
        wakeSignal.signal()
        endSignal.wait()
        endSignal.signal()
        return state.withLock { $0.summary ?? RecordingSummary(path: path) }
    }

    private func run(_ writer: RecordingWriter) {
        var next = DispatchTime.now() + .milliseconds(Self.period)
        while true {
            _ = wakeSignal.wait(timeout: next)
            // Skip the transactions that were due during a slow transaction.
            next = max(next + .milliseconds(Self.period), .now())
            let (entries, isEnding) = take()
            do { try writer.write(entries) } catch { return fail(writer, with: error) }
            guard isEnding else { continue }
            do { try writer.end(reason: state.withLock { $0.endReason }) } catch {
                return fail(writer, with: error)
            }
            writer.close()
            let summary = writer.summary
            // Do not leave a file if the command fails before its first sample.
            if writer.samples == 0 { writer.removeIfNew() }
            return state.withLock { $0.summary = summary }
        }
    }

    private func take() -> ([RecordingEntry], isEnding: Bool) {
        state.withLock { state in
            var entries = state.pending
            state.pending = []
            if let dropped = state.dropped {
                let reason = "\(dropped.count) samples were dropped, because the disk was too slow"
                entries.append(
                    .gap(source: nil, start: dropped.since, end: dropped.until, reason: reason)
                )
                state.dropped = nil
            }
            return (entries, state.isEnding)
        }
    }

    private func fail(_ writer: RecordingWriter, with error: any Error) {
        let reason = RecordingWriter.reason(error)
        let message = "recording to '\(path)' ended: \(reason)"
        var summary = writer.summary
        writer.close()
        summary.failure = reason
        state.withLock { state in
            state.failure = message
            state.summary = summary
            state.pending = []
        }
        onFailure(message)
    }
}

extension FlightRecorder.State {
    /// Adds an entry, unless the recording has failed.
    fileprivate mutating func append(_ entry: RecordingEntry) {
        if failure == nil { pending.append(entry) }
    }
}
