import Scenarios
import Testing

/// Tests that `--set path=value` can change every part of a scenario.
struct SettingTests {
    private let base = """
        version: 1
        name: mine
        dataset: {preset: pgbench, scale: 1}
        arms: {pool: {type: pool, readers: 4}, queue: {type: queue}}
        phases: [{name: warm-up, duration: 1s, measure: false}, {name: steady, duration: 10s}]
        clients:
          ui:
            access: read
            workers: 2
            arrival: {rate: 100/s}
            mix:
              - {name: balance, weight: 9, use: select-only}
              - {name: other, weight: 1, use: select-only}
          pay: {access: write, use: tpcb}
        thresholds:
          ui.response: ["p(99) < 50ms"]

        """

    private func change(_ texts: String...) throws -> Scenario {
        try Scenario.parse(yaml: base, file: "mine.yaml").with(texts.map { try .init($0) })
    }

    private func message(_ text: String) -> String {
        do {
            _ = try change(text)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func anyPartCanBeSet() throws {
        let changed = try change(
            "clients.ui.arrival.rate=500/s",
            "clients.ui.mix.balance.weight=3",
            "clients.ui.mix.1.name=last",
            "clients.pay.think=7ms",
            "phases.steady.duration=20s",
            "arms.pool.readers=9",
            "dataset.scale=3",
            "seed=7",
            "thresholds.ui.response=[\"p(95) < 1s\"]",
            "thresholds.pay.errors=[\"count < 1\"]",
            "drain=1s"
        )
        let ui = try #require(changed.clients.first)
        guard case .open(let arrival) = ui.pace, case .operations(_, let mix) = ui.activity else {
            Issue.record("\(ui)")
            return
        }
        #expect(arrival.rate == 500)
        #expect(mix.map(\.weight) == [3, 1])
        #expect(mix.map(\.name) == ["balance", "last"])
        #expect(changed.clients[1].pace == .closed(think: .milliseconds(7)))
        #expect(changed.phases[1].duration == .seconds(20))
        #expect(changed.arms[0].readers == 9)
        #expect(changed.dataset == .pgbench(scale: 3))
        #expect(changed.seed == 7)
        #expect(changed.thresholds.map(\.metric) == ["ui.response", "pay.errors"])
        #expect(changed.thresholds[0].aggregate == "p(95)")
        #expect(changed.drain == .seconds(1))
        #expect(changed.source.hasPrefix(base))
        #expect(changed.source.contains("# --set clients.ui.arrival.rate=500/s\n"))
        // The setting remains in effect when the duration changes later.
        #expect(try changed.scaled(toMeasured: .seconds(2)).clients[0].pace == ui.pace)
    }

    /// Invalid settings, and text that the error message must contain.
    @Test(
        arguments: [
            ("clients.ui.arival.rate=5/s", "arrival"),
            ("clients.uii.arrival.rate=5/s", "unknown client 'uii'"),
            ("client.ui.arrival.rate=5/s", "'clients.ui.arrival.rate'"),
            ("clients.uii.workers=2", "'clients.uii.workers'; did you mean 'ui'?"),
            ("clients.ui.arrival.rate=fast", "fast"),
            ("clients.ui.arrival.rate=", "rate"),
            ("clients.ui.workers.more=1", "'clients.ui.workers'"),
            ("phases.stedy.duration=5s", "'phases.steady.duration'"),
            ("phases.7.duration=5s", "steady"),
            ("nonsense=1", "version, name"),
            ("clients..rate=1", "is not a valid path"),
            ("clients.ui.workers", "path=value"),
            ("=5", "path=value"),
            ("arms.pool={type: [", "is not valid YAML"),
            ("thresholds.uu.response=[\"p(99) < 1s\"]", "unknown client 'uu'"),
        ]
    )
    func mistakesAreReportedWithTheNearestName(text: String, expected: String) {
        let message = message(text)
        #expect(message.contains(expected), "\(message)")
        #expect(message.contains(text), "\(message)")
    }
}
