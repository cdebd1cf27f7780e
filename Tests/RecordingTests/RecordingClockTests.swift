import Testing

@testable import Recording

struct RecordingClockTests {
    private func reading(_ wall: Int64, _ monotonic: UInt64) -> RecordingClock.Reading {
        RecordingClock.Reading(wall: wall, monotonic: monotonic * 1_000_000)
    }

    @Test func timesFollowTheMonotonicClock() {
        var clock = RecordingClock(start: reading(1_000, 50))
        #expect(clock.time(at: reading(1_900, 1_050)).time == 2_000)
        #expect(clock.time(at: reading(1_900, 1_050)).jump == nil)
    }

    @Test func settingTheClockBackDoesNotMoveTimesBack() {
        var clock = RecordingClock(start: reading(100_000, 0))
        let (time, jump) = clock.time(at: reading(40_000, 1_000))
        #expect(time == 101_000)
        #expect(jump == nil)
    }

    @Test func aSystemSleepIsAGap() {
        var clock = RecordingClock(start: reading(100_000, 0))
        _ = clock.time(at: reading(101_000, 1_000))
        let (time, jump) = clock.time(at: reading(3_702_000, 2_000))
        #expect(time == 3_702_000)
        #expect(jump?.start == 101_000)
        #expect(clock.time(at: reading(3_703_000, 3_000)).time == 3_703_000)
        #expect(clock.time(at: reading(3_703_000, 3_000)).jump == nil)
    }
}
