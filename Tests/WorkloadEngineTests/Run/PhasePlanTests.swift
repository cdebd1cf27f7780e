import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

struct PhasePlanTests {
    private var plan: PhasePlan {
        var scenario = Scenario.test([])
        scenario.phases = [
            Phase(name: "warm-up", duration: .nanoseconds(100), isMeasured: false),
            Phase(name: "one", duration: .nanoseconds(200)),
            Phase(name: "pause", duration: .nanoseconds(50), isMeasured: false),
            Phase(name: "two", duration: .nanoseconds(300)),
        ]
        return PhasePlan(scenario)
    }

    @Test func aTimeBelongsToThePhaseThatStartedLast() {
        #expect(plan.phase(at: 0)?.name == "warm-up")
        #expect(plan.phase(at: 99)?.name == "warm-up")
        #expect(plan.phase(at: 100)?.name == "one")
        #expect(plan.phase(at: 649)?.name == "two")
        #expect(plan.isMeasured(at: 299))
        #expect(!plan.isMeasured(at: 300))
        #expect(!plan.isMeasured(at: 650), "nothing is measured after the end")
    }

    @Test func timesInTheMeasuredPartSkipOtherPhases() {
        #expect(plan.time(intoMeasuredPart: 0) == 100)
        #expect(plan.time(intoMeasuredPart: 199) == 299)
        #expect(plan.time(intoMeasuredPart: 200) == 350)
        #expect(plan.measuredTime(until: 320) == 200)
        #expect(plan.measuredTime(until: 360) == 210)
        #expect(plan.measuredTime(until: 9999) == 500)
    }
}
