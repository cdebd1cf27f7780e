import Foundation
import TestSupport
import Testing

/// Tests the real command's report about a saturated pool.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReaderStormTests {
    private func run(_ arguments: [String]) throws -> [String: Any] {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["run", "reader-storm", "--duration", "2s", "--format", "json"] + arguments,
                in: folder
            )
            let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let root = try #require(object as? [String: Any])
            return try #require((root["runs"] as? [[String: Any]])?.first)
        }
    }

    @Test func oneReaderIsSaturatedAndItsHoldersAreIdentified() throws {
        let result = try run(["--arm", "pool-1"])
        let pool = try #require(result["pool"] as? [String: Any])
        #expect(try #require(pool["saturation"] as? Double) > 0.8)
        #expect(try #require(pool["acquiredAtOnce"] as? Double) < 0.2)
        let blame = try #require(result["blame"] as? [String: [String: Any]])
        let storm = try #require(blame["storm"])
        #expect(storm["resource"] as? String == "reader")
        #expect(storm["capacity"] as? Int == 1)
        let holders = try #require(storm["holders"] as? [[String: Any]])
        #expect(holders.first?["client"] as? String == "storm")
        #expect(holders.first?["held"] as? Double ?? 0 > 0.5)
        let waiting =
            (storm["waited"] as? Double ?? 0) + (storm["queued"] as? Double ?? 0)
        #expect(waiting > 0.5 * (storm["response"] as? Double ?? 0))
    }

    @Test func sixteenReadersAreNotSaturated() throws {
        let result = try run(["--arm", "pool", "--readers", "16"])
        let pool = try #require(result["pool"] as? [String: Any])
        #expect(try #require(pool["saturation"] as? Double) < 0.1)
        #expect(pool["maximumReaderCount"] as? Int == 16)
    }
}
