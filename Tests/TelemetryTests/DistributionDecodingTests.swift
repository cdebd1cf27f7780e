import Foundation
import Telemetry
import Testing

struct DistributionDecodingTests {
    private func decode(_ json: String) throws -> LatencyDistribution {
        try JSONDecoder().decode(LatencyDistribution.self, from: Data(json.utf8))
    }

    @Test func aDistributionIsRestored() throws {
        var distribution = LatencyDistribution()
        distribution.add(1_000, count: 3)
        distribution.add(.max)
        let json = try JSONEncoder().encode(distribution)
        #expect(try JSONDecoder().decode(LatencyDistribution.self, from: json) == distribution)
        #expect(try decode("{\"firstBucket\":0,\"counts\":[]}") == LatencyDistribution())
    }

    /// These distributions refer to buckets that do not exist.
    ///
    /// Adding a latency to the first one would allocate memory for billions of buckets.
    @Test(arguments: [
        "{\"firstBucket\":4294967296,\"counts\":[1]}", "{\"firstBucket\":-1,\"counts\":[1]}",
        "{\"firstBucket\":128,\"counts\":[1,1]}", "{\"firstBucket\":129,\"counts\":[]}",
    ])
    func aBucketThatDoesNotExistIsRejected(json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }
}
