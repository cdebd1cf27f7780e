import Findings
import Foundation
import SQLiteWatch
import Testing

@testable import poolgauge

struct RecordingMomentTests {
    private let utc = TimeZone(secondsFromGMT: 0)

    @Test(arguments: [
        ("10m", RecordingMoment.offset(600_000)), ("90", .offset(90_000)),
        ("2026", .offset(2_026_000)),
        ("12.5", .offset(12_500)), ("300ms", .offset(300)), ("-5m", .beforeEnd(300_000)),
        ("02:13", .clock(7_980)), ("2:13:05", .clock(7_985)),
        ("2026-11-26T02:13:00Z", .absolute(1_795_659_180_000)),
        ("2026-11-26T03:13:00+01:00", .absolute(1_795_659_180_000)),
    ])
    func momentsAreParsed(text: String, expected: RecordingMoment) {
        #expect(RecordingMoment(text) == expected)
    }

    @Test(arguments: ["", "x", "25:00", "02:60", "1:2:3:4", "10 parsecs", "-", ":"])
    func invalidMomentsAreRejected(text: String) {
        #expect(RecordingMoment(text) == nil)
    }

    @Test func aTimeOfDayIsItsFirstOccurrenceInTheRecording() throws {
        let utc = try #require(utc)
        // 2026-11-25T22:00:30Z to 2026-11-26T06:00:00Z.
        let start: Int64 = 1_795_644_030_000
        let end: Int64 = 1_795_672_800_000
        func time(_ text: String) -> String? {
            RecordingMoment(text).map { moment in
                let time = moment.milliseconds(from: start, to: end, timeZone: utc)
                return WatchTime(milliseconds: time).text
            }
        }
        #expect(time("02:13") == "2026-11-26T02:13:00.000Z")
        #expect(time("23:00") == "2026-11-25T23:00:00.000Z")
        #expect(time("22:00") == "2026-11-25T22:00:00.000Z")
        #expect(time("10m") == "2026-11-25T22:10:30.000Z")
        #expect(time("-1h") == "2026-11-26T05:00:00.000Z")
    }
}
