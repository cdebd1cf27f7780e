import Testing

@testable import WorkloadEngine

struct SweepingTests {
    private func change(_ name: String, _ sweep: String) throws -> (Scenario, [String]) {
        let scenario = try #require(Presets.named(name)).scenario()
        let sweep = try Sweep(sweep)
        let value = try #require(sweep.values.first)
        let changed = try scenario.with(sweep.variable, value)
        return (changed.scenario, changed.options)
    }

    /// Returns the settings in the `--set` options of a cell's command.
    private func settings(_ options: [String]) throws -> [Scenario.Setting] {
        try options.filter { $0.hasPrefix("--set ") }.map {
            try Scenario.Setting(String($0.dropFirst("--set ".count)))
        }
    }

    @Test(
        arguments: [
            ("ycsb-a", "write-share=0.2"), ("ycsb-b", "rate=400/s"),
            ("reader-storm", "hold=35ms"), ("reader-storm", "workers=3"),
            ("ycsb-d", "write-share=0.3"),
        ]
    )
    func theCommandForACellProducesTheSameScenario(name: String, sweep: String) throws {
        let (changed, options) = try change(name, sweep)
        let scenario = try #require(Presets.named(name)).scenario()
        let reproduced = try scenario.with(settings(options))
        #expect(reproduced.clients == changed.clients)
        #expect(!options.isEmpty)
    }

    @Test func changingTheWriteShareKeepsTheSumOfTheRates() throws {
        let (changed, _) = try change("ycsb-b", "write-share=0.25")
        let rates = changed.clients.map { client -> Double in
            guard case .open(let arrival) = client.pace else { return 0 }
            return arrival.rate
        }
        #expect(rates.count == 2)
        #expect(abs(rates[0] - 750) < 1e-6)
        #expect(abs(rates[1] - 250) < 1e-6)
    }

    @Test func aClientWithoutLoadIsRemovedWithItsThresholds() throws {
        let (changed, options) = try change("ycsb-a", "write-share=0")
        #expect(changed.clients.map(\.name) == ["read"])
        #expect(changed.thresholds.allSatisfy { $0.metric.hasPrefix("read.") })
        #expect(options.contains("# without update"))
    }

    @Test func readersApplyToPools() throws {
        let (changed, options) = try change("reader-storm", "readers=7")
        for arm in changed.arms { #expect(arm.readers == (arm.kind == .pool ? 7 : nil)) }
        #expect(options == ["--readers 7"])
    }
}
