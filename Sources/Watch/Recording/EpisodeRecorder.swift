import Dispatch
import Findings
import Foundation
import SQLiteWatch
import Synchronization
import Text

/// The events around which an ``EpisodeRecorder`` records, and the limits of its recordings.
package struct EpisodeOptions: Sendable {
    /// A condition on reports that starts a recording.
    package struct Trigger: Sendable {
        /// The condition, as entered by the user.
        package var text: String
        package var condition: WatchCondition

        package init(text: String, condition: WatchCondition) {
            self.text = text
            self.condition = condition
        }
    }

    package var triggers: [Trigger]
    /// The time before an event that its recording covers, in nanoseconds.
    package var keepNanoseconds: UInt64 = 30_000_000_000
    /// The age above which recordings are removed, in nanoseconds, or `nil` to keep them.
    package var retainNanoseconds: UInt64?
    /// The size of all recordings above which the oldest are removed, in bytes, or `nil`.
    package var maximumBytes: UInt64?
    /// The number of recordings of the last hour above which the oldest are removed, or `nil`.
    package var maximumPerHour: Int?

    package init(triggers: [Trigger]) { self.triggers = triggers }

    /// The time after the last report that meets a condition at which its recording ends, in
    /// nanoseconds.
    static let afterNanoseconds: UInt64 = 10_000_000_000
    /// The longest time from an event to the end of its recording, in nanoseconds.
    ///
    /// Some conditions remain met for hours, such as that on the size of a log.
    static let longestNanoseconds: UInt64 = 300_000_000_000
}

/// A recorder that keeps the latest reports in memory, and writes them to a file of their own only
/// around an event.
///
/// An event is a report that meets a condition that the previous report on the database did not
/// meet. Further events on the database during a recording become part of it. The recorder
/// never blocks for the end of a recording, and the failure of one recording does not prevent the next.
///
/// Call ``record(_:)`` and ``end()`` on one thread.
package final class EpisodeRecorder: Sendable {
    private struct Episode {
        var recorder: FlightRecorder
        var start: UInt64
        var lastMet: UInt64
    }

    private struct State {
        var databases: [String: Database] = [:]
        /// The files of recordings that have not ended.
        var open: Set<String> = []
    }

    private struct Database {
        /// The reports of the last ``EpisodeOptions/keepNanoseconds``.
        var latest: [(reading: RecordingClock.Reading, report: WatchReport)] = []
        var last: WatchReport?
        /// The indexes of the conditions that the last report met.
        var met: Set<Int> = []
        var episode: Episode?
    }

    private let folder: EpisodeFolder
    private let options: EpisodeOptions
    private let info: RecordingInfo
    private let mask: @Sendable (String) -> String
    private let now: @Sendable () -> RecordingClock.Reading
    private let onEnd: @Sendable (RecordingSummary) -> Void
    private let onFailure: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// The queue on which recordings end, because the disk may be slow.
    private let queue = DispatchQueue(label: "episodes")

    /// Creates the folder of the recordings if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - options: The events and the limits.
    ///   - info: The description of the sessions.
    ///   - mask: A closure that removes literals from SQL, or that returns the SQL unchanged.
    ///   - now: The clock.
    ///   - onEnd: A closure that receives each completed recording, on another thread.
    ///   - onFailure: A closure that receives the error that ended a recording or prevented it, on any
    ///     thread.
    /// - Throws: ``RecordingError`` if the folder cannot be written.
    package init(
        folder: String,
        options: EpisodeOptions,
        info: RecordingInfo,
        mask: @escaping @Sendable (String) -> String,
        now: @escaping @Sendable () -> RecordingClock.Reading = { RecordingClock.Reading.now },
        onEnd: @escaping @Sendable (RecordingSummary) -> Void = { _ in },
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.folder = try EpisodeFolder(path: folder)
        self.options = options
        self.info = info
        self.mask = mask
        self.now = now
        self.onEnd = onEnd
        self.onFailure = onFailure
        removeOldest()
    }

    /// Keeps reports on one or several databases, and records them if there is an event.
    package func record(_ reports: [WatchReport]) {
        let reading = now()
        state.withLock { state in
            for report in reports {
                var database = state.databases[report.file.path] ?? Database()
                record(report, at: reading, &database)
                if let path = database.episode?.recorder.path { state.open.insert(path) }
                state.databases[report.file.path] = database
            }
        }
    }

    /// Ends all recordings, and waits for them.
    package func end() {
        state.withLock { state in
            state.databases = state.databases.mapValues { database in
                var database = database
                finish(&database.episode, reason: "the watch ended")
                return database
            }
        }
        queue.sync {}
    }

    private func record(
        _ report: WatchReport,
        at reading: RecordingClock.Reading,
        _ database: inout Database
    ) {
        let last = database.last
        let met = Set(
            options.triggers.indices.filter { index in
                options.triggers[index].condition.isMet(by: report, after: last)
            }
        )
        let events = met.subtracting(database.met).sorted()
            .map { text(of: $0, in: report, after: last) }
        database.met = met
        database.last = report
        database.latest.removeAll {
            $0.reading.monotonic &+ options.keepNanoseconds < reading.monotonic
        }
        if database.episode == nil, !events.isEmpty {
            database.episode = start(report, at: reading, after: database.latest)
        }
        database.latest.append((reading, report))
        guard var episode = database.episode else { return }
        episode.recorder.record(.watch(report), at: reading, events: events)
        if !met.isEmpty { episode.lastMet = reading.monotonic }
        database.episode = episode
        let isOver =
            reading.monotonic &- episode.lastMet >= EpisodeOptions.afterNanoseconds
            || reading.monotonic &- episode.start >= EpisodeOptions.longestNanoseconds
            || episode.recorder.failure != nil
        if isOver {
            finish(&database.episode, reason: met.isEmpty ? "the event ended" : "the event lasts")
        }
    }

    private func text(
        of trigger: Int,
        in report: WatchReport,
        after last: WatchReport?
    ) -> String {
        let trigger = options.triggers[trigger]
        let metric = trigger.condition.metric
        guard let value = metric.value(in: report, after: last) else { return trigger.text }
        let observed =
            switch metric.unit {
            case .seconds: HumanUnits.duration(seconds: value)
            case .bytes: HumanUnits.bytes(UInt64(bounded: value))
            case .share: HumanUnits.percent(value)
            case .rate: HumanUnits.rate(value)
            case .count: HumanUnits.exact(UInt64(bounded: value))
            }
        return "\(trigger.text) (\(observed))"
    }

    private func start(
        _ report: WatchReport,
        at reading: RecordingClock.Reading,
        after latest: [(reading: RecordingClock.Reading, report: WatchReport)]
    ) -> Episode? {
        let date = Date(timeIntervalSince1970: Double(reading.wall) / 1000)
        var limits = RecordingLimits()
        limits.maximumBytes = options.maximumBytes
        do {
            let recorder = try FlightRecorder(
                path: folder.newPath(for: report.file.path, at: date),
                limits: limits,
                info: info,
                mask: mask,
                mustBeNew: true,
                start: latest.first?.reading ?? reading,
                onFailure: onFailure
            )
            for (reading, report) in latest { recorder.record(.watch(report), at: reading) }
            return Episode(
                recorder: recorder,
                start: reading.monotonic,
                lastMet: reading.monotonic
            )
        } catch {
            onFailure("an event was not recorded: \(error)")
            return nil
        }
    }

    private func finish(_ episode: inout Episode?, reason: String) {
        guard let recorder = episode?.recorder else { return }
        episode = nil
        queue.async { [self] in
            let summary = recorder.end(reason: reason)
            state.withLock { _ = $0.open.remove(recorder.path) }
            if summary.failure == nil { onEnd(summary) }
            removeOldest()
        }
    }

    private func removeOldest() {
        let now = Double(now().wall) / 1000
        folder.removeOldest(
            olderThan: options.retainNanoseconds.map { now - Double($0) / 1e9 },
            bytes: options.maximumBytes,
            since: options.maximumPerHour.map { (now - 3600, $0) },
            except: state.withLock(\.open)
        )
    }
}
