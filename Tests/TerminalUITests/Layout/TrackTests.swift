import TerminalUI
import Testing

struct TrackTests {
    private let tracks = [
        Track.fixed(2, priority: 9),
        Track(minimum: 3, ideal: 6, maximum: .max, priority: 5, flex: 1),
        Track(minimum: 4, ideal: 4, maximum: 8, priority: 7, flex: 1),
    ]

    @Test(arguments: [
        (0, [0, 0, 0]), (1, [0, 0, 0]), (2, [2, 0, 0]), (5, [2, 0, 0]), (6, [2, 0, 4]),
        (9, [2, 3, 4]), (12, [2, 6, 4]), (16, [2, 8, 6]), (40, [2, 30, 8]),
    ])
    func tracksWithHighPriorityReceiveSpaceFirst(available: Int, lengths: [Int]) {
        #expect(Track.lengths(of: tracks, available: available) == lengths)
    }

    @Test func spacingAppliesOnlyBetweenVisibleTracks() {
        #expect(Track.lengths(of: tracks, available: 11, spacing: 1) == [2, 3, 4])
        #expect(Track.lengths(of: tracks, available: 10, spacing: 1) == [2, 0, 7])
    }

    @Test func lengthsNeverExceedTheAvailableSpace() {
        var state: UInt64 = 3
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2_000 {
            let tracks = (0..<next(7)).map { _ in
                let minimum = next(9)
                return Track(
                    minimum: minimum,
                    ideal: minimum + next(9),
                    maximum: minimum + next(40),
                    priority: next(4),
                    flex: next(3)
                )
            }
            let available = next(60)
            let spacing = next(3)
            let lengths = Track.lengths(of: tracks, available: available, spacing: spacing)
            let shown = lengths.count { $0 > 0 }
            let total = lengths.reduce(0, +) + spacing * max(0, shown - 1)
            #expect(total <= available)
            for (length, track) in zip(lengths, tracks) where length > 0 {
                #expect(length >= track.minimum && length <= track.maximum)
            }
        }
    }
}
