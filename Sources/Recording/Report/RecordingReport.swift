import Findings
import SQLiteWatch
import Text

/// The facts about a period of a recording.
package struct RecordingReport: Sendable, Codable, Equatable {
    package static let currentSchema = "poolgauge.recording-report/1"

    /// A session that overlaps the period.
    package struct Session: Sendable, Codable, Equatable {
        package var kind: RecordedKind
        package var title: String
        package var tool: String
        package var start: WatchTime
        package var end: WatchTime?
        package var endReason: String?
    }

    /// A period without data.
    package struct Gap: Sendable, Codable, Equatable {
        package var source: String?
        package var start: WatchTime
        package var seconds: Double
        package var reason: String
    }

    /// A wait, at the moment when it was longest.
    package struct Wait: Sendable, Codable, Equatable {
        package var time: WatchTime
        package var source: String
        package var seconds: Double
        /// The waiter and the holder, if the sample is intact.
        package var detail: String?
    }

    /// A message of a run with a severity above `info`.
    package struct Message: Sendable, Codable, Equatable {
        package var time: WatchTime
        package var severity: String
        package var text: String
    }

    package var schema = Self.currentSchema
    package var path: String
    /// The size of the file, in bytes.
    package var bytes: UInt64
    package var start: WatchTime
    package var end: WatchTime
    package var seconds: Double
    package var samples: Int
    package var sessions: [Session]
    package var sources: [RecordedPeriod]
    /// The events for which `record --on` recorded, or `nil` if it did not.
    package var triggers: [Message]?
    /// The findings about watched databases, most important first.
    package var findings: [RecordedFinding]
    /// The number of samples of watched databases that were examined for findings.
    package var examinedSamples: Int
    /// The facts about equal parts of the period, over all sources.
    package var intervals: [RecordedInterval]
    package var longestWaits: [Wait]
    package var gaps: [Gap]
    package var messages: [Message]
    package var problems: [String]
}

extension RecordingReport {
    private static let waitCount = 5
    private static let messageCount = 20

    /// Creates a report on a period.
    ///
    /// - Parameters:
    ///   - reader: The recording.
    ///   - from: The start, in milliseconds since 1970, or `nil` for the recording's start.
    ///   - to: The inclusive end, in milliseconds since 1970, or `nil` for the recording's end.
    /// - Throws: ``RecordingError`` if there are no samples in the period.
    package init(_ reader: RecordingReader, from: Int64? = nil, to: Int64? = nil) throws {
        let contents = reader.contents
        guard let first = contents.start, let last = contents.end else {
            throw RecordingError(contents.messageWithoutSamples(path: reader.path))
        }
        let hasEnd = to != nil
        let (from, to) = (from ?? first, to ?? last)
        guard from <= to else {
            let length = HumanUnits.seconds(Double(last - first) / 1000)
            throw RecordingError(
                hasEnd
                    ? "the start of the period (--from) must be before its end (--to)"
                    : "--from must be before the end of the recording, which is \(length) long"
            )
        }
        let indexes = contents.index(at: from)..<contents.index(at: to + 1)
        guard let start = indexes.first, let end = indexes.last else {
            throw RecordingError(
                "there are no samples from \(WatchTime(milliseconds: from).text) to "
                    + "\(WatchTime(milliseconds: to).text); the recording covers "
                    + "\(WatchTime(milliseconds: first).text) to "
                    + "\(WatchTime(milliseconds: last).text)"
            )
        }
        let rows = contents.rows[indexes]
        path = reader.path
        bytes = RecordingFile.size(ofFileAt: reader.path)
        self.start = WatchTime(milliseconds: contents.rows[start].time)
        self.end = WatchTime(milliseconds: contents.rows[end].time)
        seconds = Double(contents.rows[end].time - contents.rows[start].time) / 1000
        samples = rows.count
        sessions = contents.sessions.filter { $0.start <= to && ($0.end ?? last) >= from }
            .map(Session.init)
        sources = RecordedPeriod.all(in: contents, indexes)
        let inPeriod = contents.events.filter { (from...to).contains($0.time) }
        let triggers = inPeriod.filter { $0.severity == RecordedEvent.trigger }
        if !triggers.isEmpty { self.triggers = triggers.map(Message.init) }
        (findings, examinedSamples) = RecordedFinding.all(
            in: contents,
            indexes,
            reader,
            events: triggers.map(\.time)
        )
        intervals = RecordedInterval.all(in: rows)
        longestWaits = WaitSearch(contents, indexes).longest(Self.waitCount).map { index in
            Wait(contents.rows[index], contents, reader)
        }
        gaps = contents.allGaps().filter { $0.end >= from && $0.start <= to }.map(Gap.init)
        messages = inPeriod.filter { !["info", RecordedEvent.trigger].contains($0.severity) }
            .prefix(Self.messageCount).map(Message.init)
        problems = contents.problems
    }
}

extension RecordingReport.Session {
    fileprivate init(_ session: RecordedSession) {
        self.init(
            kind: session.kind,
            title: session.title,
            tool: session.tool,
            start: WatchTime(milliseconds: session.start),
            end: session.end.map { WatchTime(milliseconds: $0) },
            endReason: session.endReason
        )
    }
}

extension RecordingReport.Gap {
    fileprivate init(_ gap: RecordedGap) {
        self.init(
            source: gap.source,
            start: WatchTime(milliseconds: gap.start),
            seconds: Double(gap.end - gap.start) / 1000,
            reason: gap.reason
        )
    }
}

extension RecordingReport.Message {
    fileprivate init(_ event: RecordedEvent) {
        self.init(
            time: WatchTime(milliseconds: event.time),
            severity: event.severity,
            text: event.message
        )
    }
}

extension RecordingReport.Wait {
    fileprivate init(
        _ row: RecordedRow,
        _ contents: RecordingContents,
        _ reader: RecordingReader
    ) {
        self.init(
            time: WatchTime(milliseconds: row.time),
            source: contents.sources[row.source].name,
            seconds: Double(row.facts.waitNanoseconds ?? 0) / 1e9,
            detail: (try? reader.value(of: row))?.waitDetail
        )
    }
}
