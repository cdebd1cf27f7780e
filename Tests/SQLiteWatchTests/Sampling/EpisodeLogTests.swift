import Testing

@testable import SQLiteWatch

struct EpisodeLogTests {
    private let writer = HeldLock(kind: .writer)

    private func entries(_ observations: [Observation]) -> [EpisodeLog.Entry] {
        var holds = HoldTracker()
        var log = EpisodeLog()
        for observation in observations {
            holds.update(observation)
            log.update(observation, holds: holds)
        }
        return log.entries
    }

    @Test func aShortHoldWithoutWaitersIsNotAnEpisode() {
        let found = entries([
            observation(at: 0, index(frames: 9), [7: [writer]]),
            observation(at: 900, index(frames: 9), [7: [writer]]),
            observation(at: 910, index(frames: 9), [:]),
        ])
        #expect(found.isEmpty)
    }

    @Test func aLongHoldStaysListedAfterItsEnd() {
        let found = entries([
            observation(at: 0, index(frames: 9), [7: [writer]]),
            observation(at: 1_500, index(frames: 9), [7: [writer]]),
            observation(at: 1_510, index(frames: 9), [:]),
        ])
        #expect(found.count == 1)
        #expect(found.first?.end == 1_510_000_000)
        #expect(found.first?.kind == .writer)
    }

    @Test func waitersMakeAShorterHoldAnEpisode() {
        let found = entries([
            observation(at: 0, index(frames: 9), [7: [writer], 8: []]),
            observation(
                at: 150,
                index(frames: 9),
                [7: [writer], 8: []],
                waiting: [8: true, 9: false]
            ),
            observation(at: 300, index(frames: 9), [:]),
        ])
        #expect(found.first?.waiters == [8])
    }

    @Test func twoTransactionsAreTwoHolds() {
        let found = entries([
            observation(at: 0, index(change: 1, frames: 9), [7: [writer]]),
            observation(at: 600, index(change: 1, frames: 9), [7: [writer]]),
            observation(at: 700, index(change: 2, frames: 10), [7: [writer]]),
            observation(at: 1_300, index(change: 2, frames: 10), [7: [writer]]),
        ])
        #expect(found.isEmpty)
    }

    @Test(arguments: [(pause: 300, count: 1), (pause: 900, count: 2)])
    func anEpisodeSpansShortPausesOfItsWaiters(pause: UInt64, count: Int) {
        let times: [UInt64] = [0, 500, 1_000, 1_000 + pause, 1_100 + pause, 2_200 + pause]
        let found = entries(
            times.enumerated().map { number, time in
                // The holder runs and waits, for example for the disk, while nobody waits for it.
                observation(
                    at: time,
                    index(frames: 9),
                    [7: [writer]],
                    waiting: number == 3 ? [:] : [8: true],
                    runs: [7: ProcessRuns(total: number < 3 ? 1 : 2, sleeps: number < 3 ? 1 : 2)]
                )
            } + [observation(at: 3_300 + pause, index(frames: 9), [:])]
        )
        #expect(found.count == count)
        #expect(found.last?.start == 0)
    }

    @Test func aPinRecordsItsLargestNumberOfFrames() {
        let marks: [UInt32?] = [0, 9, nil, nil, nil]
        let reader = HeldLock(kind: .reader, mark: 1)
        let found = entries([
            observation(at: 0, index(frames: 10, marks: marks), [7: [reader]]),
            observation(at: 1_500, index(change: 2, frames: 40, marks: marks), [7: [reader]]),
            observation(at: 1_600, index(change: 3, frames: 41, marks: marks), [:]),
        ])
        #expect(found.first?.kind == .pin)
        #expect(found.first?.frames == 31)
    }
}
