import Findings
import SQLiteWatch

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
