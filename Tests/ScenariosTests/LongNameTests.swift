import Scenarios
import Testing

struct LongNameTests {
    /// The search for the nearest name takes time that is proportional to the length of the key.
    @Test(.timeLimit(.minutes(1)))
    func aKeyWithAMillionCharactersIsRejectedQuickly() {
        let key = String(repeating: "k", count: 1_000_000)
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = #expect(throws: ScenarioError.self) {
                try Scenario.parse(yaml: "? \(key)\n: 1\n", file: "long.yaml")
            }
            #expect(error?.description.contains("unknown key") == true)
        }
        #expect(time < .seconds(10))
    }
}
