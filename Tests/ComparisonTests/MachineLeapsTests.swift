import Testing

@testable import Comparison

/// Tests the detection of changes in a machine's speed from two runs of one arm.
struct MachineLeapsTests {
    private let steady: [Double?] = [100, 101, 99, 100, 102, 100, 101, 100, 99, 100]

    @Test func aMachineOfConstantSpeedHasNoLeaps() {
        #expect(MachineLeaps(steady, steady.reversed(), floor: 1.02) == nil)
        #expect(MachineLeaps([], [], floor: 1.5) == nil)
        #expect(MachineLeaps([nil, 0], [1, 2], floor: 1.5) == nil)
    }

    @Test func aFewOutlierBlocksAreLeaps() throws {
        var second = steady
        second[2] = 198
        second[7] = 60
        second[9] = nil
        let leaps = try #require(MachineLeaps(steady, second, floor: 1.3))
        #expect(leaps.count == 2)
        #expect(abs(leaps.smallestRatio - 100.0 / 60) < 1e-9)
        #expect(leaps.largestUsualRatio == 1)
    }

    @Test func leapsThatDoNotDetermineTheFloorAreOmitted() {
        var second = steady
        second[2] = 198
        #expect(MachineLeaps(steady, second, floor: 1.03) == nil)
    }

    @Test func uniformlyWideNoiseHasNoLeaps() {
        let wide: [Double?] = [120, 80, 95, 130, 75, 110, 140, 70, 100, 90]
        #expect(MachineLeaps(steady, wide, floor: 1.3) == nil)
    }
}
