import Findings
import Foundation
import Testing

@testable import SQLiteWatch

struct WatchTimeTests {
    @Test(arguments: [
        (1_795_339_549_971, "2026-11-22T09:25:49.971Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (1_005, "1970-01-01T00:00:01.005Z"),
    ])
    func aTimeIsFormattedInUTC(milliseconds: Int64, text: String) throws {
        let time = WatchTime(milliseconds: milliseconds)
        #expect(time.text == text)
        let data = try JSONEncoder().encode([time])
        #expect(try JSONDecoder().decode([WatchTime].self, from: data) == [time])
    }
}
