import Foundation
import Testing
import WorkloadEngine

struct LatencySpectrumTests {
    @Test func everyLatencyIsResolvedWithinASixteenth() {
        var random = RandomStream(seed: 3, stream: "spectrum")
        for _ in 0..<2000 {
            let value = random.next() >> UInt64(4 + random.next(below: 60))
            var spectrum = LatencySpectrum()
            spectrum.add(value)
            let bucket = spectrum.buckets[0]
            #expect(bucket.lower <= value && value < bucket.upper)
            #expect(Double(bucket.upper - bucket.lower) <= max(1, Double(bucket.lower) / 16))
        }
    }

    @Test func bucketsAreSorted() throws {
        var spectrum = LatencySpectrum()
        for value: UInt64 in [5000, 3, 70, 5001, 70, 0] { spectrum.add(value) }
        #expect(spectrum.buckets.map(\.lower) == [0, 3, 68, 4864])
        #expect(spectrum.buckets.map(\.count) == [1, 1, 2, 2])
        #expect(spectrum.count == 6)
        var sum = spectrum
        sum.add(spectrum)
        #expect(sum.buckets.map(\.count) == [2, 2, 4, 4])
        let json = String(decoding: try JSONEncoder().encode([spectrum]), as: UTF8.self)
        #expect(json == "[\"0:1 3:1 68:2 4864:2\"]")
        #expect(
            try JSONDecoder().decode([LatencySpectrum].self, from: Data(json.utf8)) == [spectrum]
        )
    }

    @Test(arguments: ["5", "5:0", "4865:1", "70:1 3:1", "68:1 68:1", "a:b", "5:-1"])
    func invalidSpectraAreRejected(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([LatencySpectrum].self, from: Data("[\"\(text)\"]".utf8))
        }
    }

    @Test func percentilesAreInTheirBuckets() throws {
        var spectrum = LatencySpectrum()
        for value in 1...1000 { spectrum.add(UInt64(value) * 1000) }
        let median = try #require(spectrum.value(at: 0.5))
        #expect(abs(median - 500_000) < 500_000 / 16)
        #expect(LatencySpectrum().value(at: 0.5) == nil)
        #expect(LatencySpectrum().mean == nil)
    }
}
