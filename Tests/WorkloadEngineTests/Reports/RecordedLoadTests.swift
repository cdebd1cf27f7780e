import Foundation
import Testing

@testable import WorkloadEngine

struct RecordedLoadTests {
    private static let yaml = """
        version: 1
        name: mixed
        dataset: {preset: pgbench, scale: 2}
        arms:
          pool: {type: pool, readers: 3}
        phases:
          - {name: warm-up, duration: 1s, measure: false}
          - {name: steady, duration: 10s}
        clients:
          ui:
            access: read
            workers: 4
            arrival: {rate: 200/s, process: poisson, skip-after: 250ms}
            use: select-only
          pay: {access: write, workers: 2, think: 5ms, use: tpcb}
          report: {access: read, hold: 30%, at: 10%}
          import: {access: write, every: 50%, rows: 1050, batch: 500}
          find: {access: read, think: 1ms, supersede: true, use: select-only}
          cancel: {action: interrupt, every: 7s}
          stop: {action: interrupt, client: find, every: 3s}
        """

    private func load() throws -> (RecordedLoad, RunPlan) {
        let scenario = try Scenario.parse(yaml: Self.yaml, file: "mixed.yaml")
        let plan = try RunPlan(scenario, on: NoopTarget())
        return (RecordedLoad(plan, of: scenario, on: scenario.arms[0]), plan)
    }

    @Test func aLoadDescribesClientsRequestsAndTimes() throws {
        let (load, _) = try load()
        #expect(load.kind == "pool")
        #expect(load.readers == 3)
        #expect(load.scale == 2)
        #expect(
            load.clients.keys.sorted() == [
                "cancel", "find", "import", "pay", "report", "stop", "ui",
            ]
        )
        #expect(load.clients["ui"]?.arrivals?.skipAfter == 250_000_000)
        #expect(load.clients["pay"]?.think == .init(least: 5_000_000, most: 5_000_000))
        #expect(load.clients["report"]?.hold == 3_000_000_000)
        #expect(load.clients["report"]?.at == 1_000_000_000)
        #expect(load.clients["import"]?.batches == 3)
        #expect(load.clients["import"]?.every == 5_000_000_000)
        #expect(load.clients["cancel"]?.interrupts == RecordedLoad.Client.allClients)
        #expect(load.clients["cancel"]?.operations == [])
        #expect(load.clients["stop"]?.interrupts == "find")
        #expect(load.clients.values.count { $0.interrupts != nil } == 2)
        #expect(load.clients["find"]?.isCutShort == true)
        #expect(load.clients["ui"]?.isCutShort == nil)
    }

    @Test func aLoadIsReadBackUnchanged() throws {
        let (load, _) = try load()
        let json = try JSONReport.text(of: load)
        #expect(try JSONDecoder().decode(RecordedLoad.self, from: Data(json.utf8)) == load)
    }

    @Test func aReconstructedPlanHasTheSameArrivalTimes() throws {
        let (load, original) = try load()
        let reconstructed = try load.makePlan()
        #expect(reconstructed.phases.end == original.phases.end)
        func moments(_ plan: RunPlan, _ name: String) throws -> [UInt64] {
            let client = try #require(plan.clients.first { $0.name.name == name })
            var model = client.makeLoadModel(
                plan.phases,
                random: RandomStream(seed: 1, stream: "think")
            )
            var now: UInt64 = 0
            var moments: [UInt64] = []
            while let moment = model.next(freeAt: now), moment < plan.phases.end {
                moments.append(moment)
                now = moment + 1_000_000
            }
            return moments
        }
        for name in load.clients.keys {
            let expected = try moments(original, name)
            #expect(!expected.isEmpty)
            #expect(try moments(reconstructed, name) == expected)
        }
    }
}
