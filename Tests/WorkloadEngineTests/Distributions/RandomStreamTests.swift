import Testing

@testable import WorkloadEngine

struct RandomStreamTests {
    @Test func xoshiroProducesThePublishedWords() {
        // These are the first words for the state 1, 2, 3, 4 from the authors' C program.
        var stream = RandomStream(state: (1, 2, 3, 4))
        #expect(
            (0..<5).map { _ in stream.next() } == [
                11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360,
            ]
        )
    }

    @Test func aSeedAndANameDetermineAStream() {
        var a = RandomStream(seed: 1, stream: "ui", worker: 3)
        var b = RandomStream(seed: 1, stream: "ui", worker: 3)
        #expect((0..<100).map { _ in a.next() } == (0..<100).map { _ in b.next() })
    }

    @Test func differentSeedsNamesOrWorkersHaveDifferentStreams() {
        var streams = [
            RandomStream(seed: 1, stream: "ui"), RandomStream(seed: 2, stream: "ui"),
            RandomStream(seed: 1, stream: "iu"), RandomStream(seed: 1, stream: "ui", worker: 1),
            RandomStream(seed: 0, stream: "", worker: 0),
        ]
        var words = Set<UInt64>()
        for index in streams.indices {
            for _ in 0..<100 { words.insert(streams[index].next()) }
        }
        #expect(words.count == 500)
    }

    @Test func aSeedProducesTheSameWordsOnEveryPlatform() {
        var stream = RandomStream(seed: 42, stream: "ui", worker: 1)
        #expect((0..<3).map { _ in stream.next() } == Self.pinned)
    }

    /// The first words of the stream `ui` of worker 1 for seed 42.
    ///
    /// A change to these values would affect the load of every scenario.
    static let pinned: [UInt64] = [
        6_108_218_694_259_567_590, 1_989_439_638_169_194_587, 8_312_891_547_423_719_131,
    ]

    @Test(arguments: [1, 2, 3, 10, 1 << 33, (1 << 63) + 1] as [UInt64])
    func numbersAreBelowTheirBound(bound: UInt64) {
        var stream = RandomStream(seed: 7, stream: "bound")
        for _ in 0..<1000 { #expect(stream.next(below: bound) < bound) }
    }

    @Test func unitValuesAreSpreadEvenly() {
        var stream = RandomStream(seed: 7, stream: "unit")
        var counts = [Int](repeating: 0, count: 20)
        for _ in 0..<100_000 { counts[Int(stream.nextUnit() * 20)] += 1 }
        let expected = [Double](repeating: 5000, count: 20)
        #expect(ChiSquare.isPlausible(observed: counts, expected: expected))
    }
}
