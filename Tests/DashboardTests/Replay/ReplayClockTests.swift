import Testing

@testable import Dashboard

struct ReplayClockTests {
    private let second: UInt64 = 1_000_000_000

    @Test func thePositionAdvancesWithTheSpeed() {
        var clock = ReplayClock(range: 10_000...130_000)
        clock.advance(to: 5 * second)
        #expect(clock.position == 10_000)
        clock.advance(to: 6 * second)
        #expect(clock.position == 11_000)
        clock.changeSpeed(faster: true)
        clock.changeSpeed(faster: true)
        #expect(clock.speed == 5)
        clock.advance(to: 8 * second)
        #expect(clock.position == 21_000)
        clock.changeSpeed(faster: false)
        clock.advance(to: 9 * second)
        #expect(clock.position == 23_000)
    }

    @Test func speedsHaveLimits() {
        var clock = ReplayClock(range: 0...1)
        for _ in 0..<20 { clock.changeSpeed(faster: true) }
        #expect(clock.speed == 600)
        for _ in 0..<20 { clock.changeSpeed(faster: false) }
        #expect(clock.speed == 1)
    }

    @Test func aPausedClockKeepsItsPosition() {
        var clock = ReplayClock(range: 0...60_000)
        clock.advance(to: 0)
        clock.advance(to: second)
        clock.toggle()
        clock.advance(to: 20 * second)
        #expect(clock.position == 1_000)
        clock.toggle()
        clock.advance(to: 21 * second)
        #expect(clock.position == 2_000)
    }

    @Test func theClockPausesAtTheEndAndStartsAgain() {
        var clock = ReplayClock(range: 0...10_000)
        clock.advance(to: 0)
        clock.advance(to: 60 * second)
        #expect(clock.position == 10_000)
        #expect(clock.isAtEnd)
        #expect(!clock.isPlaying)
        clock.toggle()
        #expect(clock.position == 0)
        #expect(clock.isPlaying)
    }

    @Test func seekingIsLimitedToTheRecording() {
        var clock = ReplayClock(range: 1_000...5_000, isPlaying: false)
        clock.seek(to: 3_000)
        #expect(clock.position == 3_000)
        #expect(clock.progress == 0.5)
        clock.seek(to: 0)
        #expect(clock.position == 1_000)
        clock.seek(to: 90_000)
        #expect(clock.position == 5_000)
    }

    @Test func theTimeOfAStoppedProgramIsSkipped() {
        var clock = ReplayClock(range: 0...60_000)
        clock.advance(to: 0)
        clock.skip(to: 30 * second)
        clock.advance(to: 31 * second)
        #expect(clock.position == 1_000)
    }
}
