import Testing

@testable import poolgauge

struct ArmCycleTests {
    @Test
    func theNextArmStartsWhenTheCurrentOneHasEnded() {
        var cycle = ArmCycle(count: 3, current: 2)
        #expect(cycle.advance() == .stop)
        #expect(cycle.recordRunEnd(startsNext: false) == .start(0))
        #expect(cycle.current == 0)
    }

    @Test
    func repeatedKeysSkipAnArm() {
        var cycle = ArmCycle(count: 3, current: 0)
        #expect(cycle.advance() == .stop)
        #expect(cycle.advance() == .stay)
        #expect(cycle.recordRunEnd(startsNext: true) == .start(2))
    }

    @Test
    func aCompletedRunDoesNotStartTheNextArm() {
        var cycle = ArmCycle(count: 3, current: 0)
        #expect(cycle.recordRunEnd(startsNext: false) == .stay)
        #expect(cycle.isOver)
        #expect(cycle.advance() == .start(1))
        #expect(!cycle.isOver)
    }

    @Test
    func theDemoContinuesWithTheNextArm() {
        var cycle = ArmCycle(count: 2, current: 1)
        #expect(cycle.recordRunEnd(startsNext: true) == .start(0))
    }

    @Test
    func aSingleArmRepeats() {
        var cycle = ArmCycle(count: 1, current: 0)
        #expect(cycle.advance() == .stop)
        #expect(cycle.recordRunEnd(startsNext: false) == .start(0))
    }

    @Test
    func anArmRestartsWhenItsRunHasEnded() {
        var cycle = ArmCycle(count: 3, current: 1)
        #expect(cycle.restart() == .stop)
        #expect(cycle.restart() == .stay)
        #expect(cycle.recordRunEnd(startsNext: false) == .start(1))
        #expect(cycle.recordRunEnd(startsNext: false) == .stay)
        #expect(cycle.restart() == .start(1))
    }
}
