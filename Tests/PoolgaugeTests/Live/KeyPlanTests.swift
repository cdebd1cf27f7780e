import TerminalUI
import Testing

@testable import poolgauge

struct KeyPlanTests {
    @Test
    func keysArriveOneByOneBeforeThePicture() throws {
        let keys: [Key] = [.character("n"), .escape]
        var plan = KeyPlan(keys: keys, start: 5_000_000_000, takesPicture: true)
        #expect(plan.step(at: 4_999_999_999) == .nothing)
        #expect(plan.step(at: 5_000_000_000) == .press(.character("n")))
        #expect(plan.step(at: 5_000_000_000) == .nothing)
        #expect(plan.step(at: 6_000_000_000) == .press(.escape))
        #expect(plan.step(at: 6_500_000_000) == .nothing)
        #expect(plan.step(at: 7_000_000_000) == .picture)
    }

    @Test
    func withoutKeysThePictureIsTakenImmediately() {
        var plan = KeyPlan(keys: [], start: 1, takesPicture: true)
        #expect(plan.step(at: 0) == .nothing)
        #expect(plan.step(at: 1) == .picture)
    }

    @Test
    func withoutAPictureTheProgramContinues() {
        var plan = KeyPlan(keys: [.enter], start: 0, takesPicture: false)
        #expect(plan.step(at: 0) == .press(.enter))
        #expect(plan.step(at: .max) == .nothing)
    }
}
