import Scenarios
import Testing

@testable import Comparison

struct SweepingTests {
    private func change(_ name: String, _ sweep: String) throws -> Scenario {
        let scenario = try #require(Presets.named(name)).scenario()
        let sweep = try Sweep(sweep)
        let value = try #require(sweep.values.first)
        return try scenario.with(value, of: sweep.variable) { try scenario.with([$0]) }
    }

    @Test func aValueOfTheFileIsSet() throws {
        let changed = try change("ycsb-a", "clients.read.arrival.rate=7/s")
        guard case .open(let arrival) = changed.clients[0].pace else {
            Issue.record("the client has no arrivals")
            return
        }
        #expect(arrival.rate == 7)
        #expect(throws: ScenarioError.self) { try change("ycsb-a", "clients.reed.workers=7") }
    }

    @Test func changingTheWriteShareKeepsTheSumOfTheRates() throws {
        let changed = try change("ycsb-b", "write-share=0.25")
        let rates = changed.clients.map { client -> Double in
            guard case .open(let arrival) = client.pace else { return 0 }
            return arrival.rate
        }
        #expect(rates.count == 2)
        #expect(abs(rates[0] - 750) < 1e-6)
        #expect(abs(rates[1] - 250) < 1e-6)
    }

    @Test func aClientWithoutLoadIsRemovedWithItsThresholds() throws {
        let changed = try change("ycsb-a", "write-share=0")
        #expect(changed.clients.map(\.name) == ["read"])
        #expect(changed.thresholds.allSatisfy { $0.metric.hasPrefix("read.") })
    }

    @Test func readersApplyToPoolsAndJournalModesToQueues() throws {
        let readers = try change("reader-storm", "readers=7")
        for arm in readers.arms { #expect(arm.readers == (arm.kind == .pool ? 7 : nil)) }
        let journal = try change("reader-storm", "journal=persist")
        for arm in journal.arms where arm.library == .engine {
            #expect(arm.journal == (arm.kind == .queue ? .persist : nil))
        }
    }

    @Test func holdsWorkersAndRatesAreSet() throws {
        let hold = try change("reader-storm", "hold=35ms")
        let holds = hold.clients.compactMap { client -> Duration? in
            guard case .hold(.absolute(let time), _) = client.activity else { return nil }
            return time
        }
        #expect(!holds.isEmpty && holds.allSatisfy { $0 == .milliseconds(35) })
        let workers = try change("reader-storm", "workers=3")
        #expect(workers.clients.contains { $0.workers == 3 })
        #expect(try OfferedLoad(try change("ycsb-b", "rate=400/s")).ownRate == 400)
    }
}
