import Foundation
import Telemetry
import Testing

struct StatusValueTests {
    @Test func theOldestWaiterCanBeOfEitherKind() {
        var status = DatabaseStatus(label: "a", kind: .pool)
        #expect(status.oldestWaiterNanoseconds == nil)
        let origin = AccessOrigin(name: "a")
        status.waitingReaders = [WaiterStatus(origin: origin, waitedNanoseconds: 5)]
        #expect(status.oldestWaiterNanoseconds == 5)
        status.waitingWriters = [WaiterStatus(origin: origin, waitedNanoseconds: 7)]
        #expect(status.oldestWaiterNanoseconds == 7)
    }

    @Test func percentilesKeepTheirNamesInJSON() throws {
        let summary = LatencySummary(count: 1, mean: 2, p50: 3, p999: 4, max: 5)
        let data = try JSONEncoder().encode(summary)
        let object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Int]
        )
        #expect(object == ["count": 1, "mean": 2, "p50": 3, "p99.9": 4, "max": 5])
    }

    @Test func theClockIsMonotonic() {
        var last = monotonicNanoseconds()
        for _ in 0..<1_000 {
            let now = monotonicNanoseconds()
            #expect(now >= last)
            last = now
        }
    }
}
