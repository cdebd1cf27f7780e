import Findings
import SQLiteWatch

/// The facts about one source in a period.
package struct RecordedPeriod: Sendable, Codable, Equatable {
    /// The worst value, and the second in which it occurred.
    package struct Worst: Sendable, Codable, Equatable {
        package var time: WatchTime
        package var value: Double
    }

    package var name: String
    package var samples: Int
    /// The mean number of accesses or commits per second.
    package var rate: Double?
    /// The mean share of time that the connections were saturated, from 0 to 1.
    package var saturation: Double?
    package var busy: UInt64?
    /// The size of the log at the start, in bytes.
    package var firstLogBytes: UInt64?
    /// The size of the log at the end, in bytes.
    package var lastLogBytes: UInt64?
    /// The maximum size of the log, in bytes.
    package var maximumLogBytes: UInt64?
    /// The second with the longest wait, in seconds.
    package var worstWait: Worst?
    /// The second with the largest growth of the log, in bytes.
    package var worstLogGrowth: Worst?
    /// The second with the most `SQLITE_BUSY` results.
    package var worstBusy: Worst?
    /// The second with the highest saturation, from 0 to 1.
    package var worstSaturation: Worst?
}

extension RecordedPeriod {
    /// Returns the facts about each source that has samples, in the order of first appearance.
    static func all(in contents: RecordingContents, _ indexes: Range<Int>) -> [RecordedPeriod] {
        var rows: [String: [RecordedRow]] = [:]
        var names: [String] = []
        for row in contents.rows[indexes] {
            let name = contents.sources[row.source].name
            if rows[name] == nil { names.append(name) }
            rows[name, default: []].append(row)
        }
        return names.map { RecordedPeriod($0, rows[$0] ?? []) }
    }

    private init(_ name: String, _ rows: [RecordedRow]) {
        let facts = rows.map(\.facts)
        self.init(
            name: name,
            samples: rows.count,
            rate: Self.mean(facts.compactMap(\.rate)),
            saturation: Self.mean(facts.compactMap(\.saturation)),
            busy: facts.contains { $0.busy != nil }
                ? facts.reduce(UInt64(0)) { $0 &+ ($1.busy ?? 0) } : nil,
            firstLogBytes: facts.lazy.compactMap(\.walBytes).first,
            lastLogBytes: facts.last { $0.walBytes != nil }?.walBytes,
            maximumLogBytes: facts.compactMap(\.walBytes).max()
        )
        let seconds = SecondFacts.all(of: rows)
        worstWait = Self.worst(of: seconds) { Double($0.waitNanoseconds) / 1e9 }
        worstLogGrowth = Self.worst(of: seconds) { Double($0.logGrowth) }
        worstBusy = Self.worst(of: seconds) { Double($0.busy) }
        worstSaturation = Self.worst(of: seconds) { $0.saturation }
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// Returns the first second with the largest value above 0.
    private static func worst(
        of seconds: [SecondFacts],
        _ value: (SecondFacts) -> Double
    ) -> Worst? {
        var worst: Worst?
        for second in seconds where value(second) > worst?.value ?? 0 {
            worst = Worst(time: WatchTime(milliseconds: second.time), value: value(second))
        }
        return worst
    }
}

/// The combined facts of one source's samples in a second.
struct SecondFacts: Equatable {
    /// The start of the second, in milliseconds since 1970.
    var time: Int64
    var waitNanoseconds: UInt64 = 0
    var busy: UInt64 = 0
    var saturation = 0.0
    /// The growth of the log, in bytes.
    var logGrowth: Int64 = 0

    static func all(of rows: [RecordedRow]) -> [SecondFacts] {
        var seconds: [SecondFacts] = []
        var log: UInt64?
        for row in rows {
            let time = row.time / 1000 * 1000
            if seconds.last?.time != time { seconds.append(SecondFacts(time: time)) }
            let last = seconds.count - 1
            let facts = row.facts
            seconds[last].waitNanoseconds = max(
                seconds[last].waitNanoseconds,
                facts.waitNanoseconds ?? 0
            )
            seconds[last].busy &+= facts.busy ?? 0
            seconds[last].saturation = max(seconds[last].saturation, facts.saturation ?? 0)
            if let bytes = facts.walBytes {
                if let log {
                    seconds[last].logGrowth += Int64(clamping: bytes) - Int64(clamping: log)
                }
                log = bytes
            }
        }
        return seconds
    }
}
