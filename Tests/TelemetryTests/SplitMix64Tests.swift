import Testing

@testable import Telemetry

struct SplitMix64Tests {
    @Test func splitMixProducesThePublishedWords() {
        // These are the first words for seed 1234567 from the authors' C program.
        var mixer = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<5).map { _ in mixer.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test func unitsAreBelowOne() {
        var random = SplitMix64(seed: 1)
        #expect((0..<1_000).allSatisfy { _ in (0..<1).contains(random.nextUnit()) })
    }
}
