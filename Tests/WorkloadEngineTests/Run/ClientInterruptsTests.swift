import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests how interrupts are counted.
struct ClientInterruptsTests {
    private let interrupts = ClientInterrupts()

    /// Adds an access that holds its connection, and returns the counter of its interrupts.
    private func enter(_ access: RunningAccess) throws -> Lock<Int> {
        let count = Lock(0)
        interrupts.add(access)
        try access.enter { count.withLock { $0 += 1 } }
        return count
    }

    @Test func eachInterruptThatEndsAnAccessIsDeliveredWithItsLatency() throws {
        for round in UInt64(1)...4 {
            let accesses = [RunningAccess(), RunningAccess()]
            let counts = try accesses.map(enter)
            interrupts.interruptAll(at: round * 1000)
            #expect(counts.map { $0.withLock { $0 } } == [1, 1])
            for access in accesses {
                interrupts.remove(access, wasInterrupted: true, at: round * 1000 + 500)
            }
        }
        let status = try #require(interrupts.status)
        #expect(status.requested == 8)
        #expect(status.delivered == 8)
        #expect(status.withoutEffect == 0)
        #expect(status.latency?.count == 8)
        #expect((480...520).contains(try #require(status.latency?.max)))
    }

    @Test func aSecondInterruptOfAnAccessIsSentButNotCounted() throws {
        let access = RunningAccess()
        let count = try enter(access)
        interrupts.interruptAll(at: 1)
        interrupts.interruptAll(at: 2)
        #expect(
            count.withLock { $0 } == 2,
            "the first interrupt may have arrived before the statement started"
        )
        #expect(access.requestedAt == 1)
        interrupts.remove(access, wasInterrupted: true, at: 3)
        #expect(interrupts.status?.requested == 1)
        #expect(interrupts.status?.delivered == 1)
    }

    /// SQLite ignores interrupts that arrive before the statement starts.
    @Test func anInterruptIsRepeatedUntilTheAccessEnds() throws {
        let clock = LeapingClock()
        let alarm = AlarmClock(clock: clock, sleeper: clock)
        let access = RunningAccess(repeatingOn: alarm)
        let times = Lock<[UInt64]>([])
        interrupts.add(access)
        try access.enter { times.withLock { $0.append(clock.now()) } }
        interrupts.interruptAll(at: clock.now())
        alarm.set(at: milliseconds(300)) { access.leave() }
        alarm.set(at: milliseconds(1000)) { alarm.stop() }
        alarm.run()
        let expected: [UInt64] = [0, 1, 3, 7, 15, 31, 63, 127, 227]
        #expect(times.withLock { $0 } == expected.map(milliseconds))
        interrupts.remove(access, wasInterrupted: true, at: clock.now())
        #expect(interrupts.status?.requested == 1)
        #expect(interrupts.status?.delivered == 1)
    }

    @Test func anInterruptIsCountedBeforeItTakesEffect() throws {
        let access = RunningAccess()
        let requested = Lock<UInt64?>(nil)
        interrupts.add(access)
        try access.enter { [interrupts] in
            requested.withLock { $0 = interrupts.status?.requested }
        }
        interrupts.interruptAll(at: 1)
        #expect(requested.withLock { $0 } == 1)
    }

    @Test func anInterruptAfterTheEndIsNotCounted() throws {
        let access = RunningAccess()
        let count = try enter(access)
        access.leave()
        interrupts.remove(access, wasInterrupted: false, at: 1)
        interrupts.interrupt(access, at: 2)
        #expect(count.withLock { $0 } == 0)
        #expect(interrupts.status == nil)
    }

    @Test func interruptsWithAndWithoutEffectAreDistinguished() throws {
        // This interrupt finds no access.
        interrupts.interruptAll(at: 1)
        // This interrupt reaches an access that has almost ended.
        let access = RunningAccess()
        _ = try enter(access)
        interrupts.interruptAll(at: 2)
        interrupts.remove(access, wasInterrupted: false, at: 3)
        let status = try #require(interrupts.status)
        #expect(status.requested == 2)
        #expect(status.delivered == 0)
        #expect(status.withoutEffect == 2)
    }

    @Test func anAccessDoesNotInterruptItself() throws {
        let (interrupter, other) = (RunningAccess(), RunningAccess())
        let (interrupterCount, otherCount) = (try enter(interrupter), try enter(other))
        interrupts.interruptAll(but: interrupter, at: 1)
        #expect(interrupterCount.withLock { $0 } == 0)
        #expect(otherCount.withLock { $0 } == 1)
    }

    @Test func aWaitingAccessThatIsInterruptedDoesNotStart() throws {
        let access = RunningAccess()
        interrupts.add(access)
        interrupts.interruptAll(at: 1)
        #expect(throws: RunningAccess.Superseded.self) { try access.enter {} }
    }

    @Test func anEndedAccessIsNotInterrupted() throws {
        let access = RunningAccess()
        let count = try enter(access)
        access.leave()
        interrupts.interruptAll(at: 1)
        #expect(count.withLock { $0 } == 0, "another access holds its connection")
    }

    @Test func withoutInterruptsTheStatusIsNil() throws {
        let access = RunningAccess()
        _ = try enter(access)
        interrupts.remove(access, wasInterrupted: false, at: 1)
        #expect(interrupts.status == nil)
    }
}

/// A clock that immediately advances to the deadline of each sleep.
private final class LeapingClock: RunClock, Sleeper {
    private let time = Lock<UInt64>(0)

    func now() -> UInt64 { time.withLock { $0 } }
    func makeSleeper() -> any Sleeper { self }
    func sleep(until deadline: UInt64) { time.withLock { $0 = max($0, deadline) } }
    func wake() {}
    func retire() {}
}
