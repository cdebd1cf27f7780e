import Findings
import SQLiteWatch

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
        _ reader: RecordingReader,
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
