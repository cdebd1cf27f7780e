import Findings
import PoolgaugeAgent
import SQLiteWatch
import Telemetry
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
            reader: reader,
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

/// A search that finds the longest waits in a period.
struct WaitSearch {
    private let contents: RecordingContents
    private let indexes: Range<Int>

    init(_ contents: RecordingContents, _ indexes: Range<Int>) {
        self.contents = contents
        self.indexes = indexes
    }

    /// Returns the indexes of the samples with the longest waits, the longest first.
    ///
    /// Consecutive samples of a source that contain a wait count as one wait.
    func longest(_ count: Int) -> [Int] {
        var peaks: [Int] = []
        var current: [Int: Int] = [:]
        for index in indexes {
            let row = contents.rows[index]
            guard waitTime(index) > 0 else {
                if let peak = current.removeValue(forKey: row.source) { peaks.append(peak) }
                continue
            }
            if let peak = current[row.source], waitTime(peak) >= waitTime(index) { continue }
            current[row.source] = index
        }
        peaks += current.values
        return Array(peaks.sorted { (waitTime($1), $0) < (waitTime($0), $1) }.prefix(count))
    }

    private func waitTime(_ index: Int) -> UInt64 {
        contents.rows[index].facts.waitNanoseconds ?? 0
    }
}

extension RecordedValue {
    /// The longest wait and the holders, or `nil` if there is no wait.
    var waitDetail: String? {
        switch self {
        case .run(let sample): Self.waitDetail(of: sample.database)
        case .agent(let status): Self.waitDetail(of: status.database)
        case .watch(let report): Self.waitDetail(of: report)
        }
    }

    private static func waitDetail(of database: DatabaseStatus) -> String? {
        let readers = database.waitingReaders.max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        let writers = database.waitingWriters.max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        let isRead = (readers?.waitedNanoseconds ?? 0) >= (writers?.waitedNanoseconds ?? 0)
        guard let waiter = isRead ? readers : writers else { return nil }
        let count = isRead ? database.waitingReaders.count : database.waitingWriters.count
        let holders = database.connections.filter { connection in
            connection.holder != nil
                && (isRead ? connection.role != .writer : connection.role != .reader)
        }.sorted { ($0.heldNanoseconds ?? 0) > ($1.heldNanoseconds ?? 0) }
        let texts = holders.prefix(3).map { connection in
            let held = connection.heldNanoseconds.map {
                " for " + HumanUnits.duration(nanoseconds: $0)
            }
            return "\(connection.holder?.name ?? "") holds \(connection.label)\(held ?? "")"
        }
        let rest = holders.count - 3
        let more = rest > 0 ? ["\(rest) more \(rest == 1 ? "holder" : "holders")"] : []
        let others = count > 1 ? " and \(count - 1) more" : ""
        let verb = count > 1 ? " wait" : " waits"
        return
            ([waiter.origin.name + others + verb + (isRead ? " to read" : " to write")]
            + texts + more).joined(separator: "; ")
    }

    private static func waitDetail(of report: WatchReport) -> String? {
        if let block = report.blocked?.max(by: { $0.seconds < $1.seconds }) {
            let waiter = "\(block.name ?? "process") (PID \(block.pid)) waited"
            guard let blocker = block.by else { return waiter }
            return waiter + "; \(blocker.name ?? "process") (PID \(blocker.pid)) held the lock"
        }
        let waiting = report.processes.filter { $0.waiting?.isWaiting == true }
            .map { "\($0.name) (PID \($0.pid))" }
        guard !waiting.isEmpty else { return nil }
        let holder = report.processes.first { $0.locks.contains { $0.kind.isWrite } }
        let held = holder.map { ["\($0.name) (PID \($0.pid)) holds the write lock"] } ?? []
        let verb = waiting.count == 1 ? " waits" : " wait"
        return ([waiting.joined(separator: ", ") + verb] + held).joined(separator: "; ")
    }
}

/// A finding about a watched database, and the samples that contain it.
package struct RecordedFinding: Sendable, Codable, Equatable {
    package var source: String
    /// The finding in the last of the samples, which contains the longest durations.
    package var finding: Finding
    package var start: WatchTime
    package var end: WatchTime
    /// The number of examined samples that contain the finding.
    package var samples: Int

    /// The maximum number of samples that are examined.
    ///
    /// In a longer period, the examined samples are equally spaced.
    static let examinedLimit = 2_000
    /// The maximum number of findings in a report.
    private static let limit = 20

    /// The time after an event in which its findings appear, in milliseconds.
    private static let eventLength: Int64 = 2_500

    /// Returns the findings of a period, most important first, and the number of examined samples.
    ///
    /// `events` contains the times of the events for which the period was recorded.
    static func all(
        in contents: RecordingContents,
        _ indexes: Range<Int>,
        reader: RecordingReader,
        events: [Int64] = []
    ) -> (findings: [RecordedFinding], examined: Int) {
        struct Key: Hashable {
            var source: String
            var kind: Finding.Kind
            var pid: Int32?
        }
        var found: [Key: RecordedFinding] = [:]
        var examined = 0
        let stride = max(1, (indexes.count + examinedLimit - 1) / examinedLimit)
        for index in Swift.stride(from: indexes.lowerBound, to: indexes.upperBound, by: stride) {
            let row = contents.rows[index]
            guard contents.kind(of: row) == .watch, let value = try? reader.value(of: row),
                case .watch(let report) = value
            else { continue }
            examined += 1
            let source = contents.sources[row.source].name
            let time = WatchTime(milliseconds: row.time)
            for finding in report.findings {
                let key = Key(source: source, kind: finding.kind, pid: finding.pid)
                let start = found[key]?.start ?? time
                let samples = found[key]?.samples ?? 0
                found[key] = RecordedFinding(
                    source: source,
                    finding: finding,
                    start: start,
                    end: time,
                    samples: samples + 1
                )
            }
        }
        let all = found.values.sorted { $0.precedes($1) }
        // What was found in the first and in the last sample is not the reason of an event, unless the
        // recording starts with the event.
        let rows = contents.rows[indexes]
        let (first, last) = (rows.first?.time ?? 0, rows.last?.time ?? 0)
        func isOfEvent(_ finding: RecordedFinding) -> Bool {
            let (start, end) = (finding.start.milliseconds, finding.end.milliseconds)
            return events.contains { event in
                start <= event + eventLength
                    && (start > first || end < last || event <= first + eventLength)
            }
        }
        let sorted = Finding.Level.allCases.flatMap { level in
            let ofLevel = all.filter { $0.finding.level == level }
            return ofLevel.filter(isOfEvent) + ofLevel.filter { !isOfEvent($0) }
        }
        return (Array(sorted.prefix(limit)), examined)
    }

    private func precedes(_ other: RecordedFinding) -> Bool {
        (other.samples, start.milliseconds, source, finding.text)
            < (samples, other.start.milliseconds, other.source, other.finding.text)
    }
}

/// The facts about part of a period, over all sources.
package struct RecordedInterval: Sendable, Codable, Equatable {
    package var start: WatchTime
    /// The length, in seconds.
    package var seconds: Double
    package var samples: Int
    /// The longest wait, in seconds.
    package var longestWait: Double
    /// The mean share of time that the connections were saturated, from 0 to 1.
    package var saturation: Double?
    /// The number of `SQLITE_BUSY` results, or `nil` if they were not recorded.
    package var busy: UInt64?
    /// The maximum size of the log, in bytes.
    package var maximumLogBytes: UInt64?
    /// The mean number of accesses or commits per second.
    package var rate: Double?

    /// The preferred lengths of an interval, in milliseconds.
    private static let lengths: [Int64] = [
        1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 14_400_000,
        86_400_000,
    ]
    /// The maximum ratio of the time that samples span to the length of an interval.
    private static let maximumRatio: Int64 = 30

    /// Divides samples into at most 31 intervals of equal length.
    ///
    /// Intervals without samples are omitted.
    static func all(in rows: ArraySlice<RecordedRow>) -> [RecordedInterval] {
        guard let first = rows.first?.time, let last = rows.last?.time else { return [] }
        let span = last - first
        let length = lengths.first { span <= $0 * maximumRatio } ?? span / maximumRatio + 1
        var intervals: [RecordedInterval] = []
        var part: [RecordedFacts] = []
        var start = first
        for row in rows {
            if row.time >= start + length {
                if !part.isEmpty { intervals.append(RecordedInterval(part, start, length)) }
                part = []
                start += (row.time - start) / length * length
            }
            part.append(row.facts)
        }
        intervals.append(RecordedInterval(part, start, length))
        return intervals
    }
}

extension RecordedInterval {
    private init(_ facts: [RecordedFacts], _ start: Int64, _ length: Int64) {
        let saturations = facts.compactMap(\.saturation)
        let rates = facts.compactMap(\.rate)
        self.init(
            start: WatchTime(milliseconds: start),
            seconds: Double(length) / 1000,
            samples: facts.count,
            longestWait: Double(facts.compactMap(\.waitNanoseconds).max() ?? 0) / 1e9,
            saturation: saturations.isEmpty
                ? nil : saturations.reduce(0, +) / Double(saturations.count),
            busy: facts.contains { $0.busy != nil }
                ? facts.reduce(UInt64(0)) { $0 &+ ($1.busy ?? 0) } : nil,
            maximumLogBytes: facts.compactMap(\.walBytes).max(),
            rate: rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
        )
    }
}
