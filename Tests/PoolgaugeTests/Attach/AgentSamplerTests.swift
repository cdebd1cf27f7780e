import PoolgaugeAgent
import Telemetry
import Testing

@testable import poolgauge

struct AgentSamplerTests {
    private static let second: UInt64 = 1_000_000_000

    private func status(
        process: Int32 = 7,
        seconds: UInt64,
        reads: UInt64,
        busyTime: UInt64 = 0,
        conflicts: UInt64 = 0
    ) -> AgentStatus {
        var database = DatabaseStatus(
            label: "main",
            kind: .pool,
            takenAtNanoseconds: seconds * Self.second
        )
        database.acquire = LatencySummary(count: reads, mean: 5, max: 9)
        database.hold = LatencySummary(count: reads, mean: 6, max: 8)
        database.readers = ReaderPoolStatus(
            inUse: 1,
            open: 2,
            maximum: 4,
            busyNanoseconds: busyTime,
            saturatedNanoseconds: busyTime / 8
        )
        database.busyCount = conflicts
        return AgentStatus(
            name: "app",
            process: process,
            ageNanoseconds: seconds * Self.second,
            allowsControl: true,
            database: database
        )
    }

    @Test func ratesAreComputedFromTwoStatuses() throws {
        var sampler = AgentSampler(start: 0)
        let first = status(seconds: 10, reads: 100)
        let second = status(seconds: 12, reads: 700, busyTime: 4 * Self.second, conflicts: 3)
        let started = sampler.sample([.status(first, since: nil)], at: Self.second)
        let firstSample = try #require(started)
        #expect(firstSample.clients.isEmpty)
        #expect(firstSample.utilization == nil)
        let continued = sampler.sample([.status(second, since: first)], at: 3 * Self.second)
        let secondSample = try #require(continued)
        #expect(secondSample.sequence == firstSample.sequence + 1)
        #expect(secondSample.time == 3)
        #expect(secondSample.scenario == "app")
        #expect(secondSample.program == ProgramStatus(process: 7, allowsControl: true))
        // The writer is unknown, because the status does not contain it.
        #expect(secondSample.clients.map(\.name) == ["reads"])
        #expect(secondSample.clients.first?.throughput == 300)
        #expect(secondSample.utilization == 0.5)
        #expect(secondSample.saturation == 0.25)
        #expect(secondSample.events.map(\.message) == ["3 lock conflicts"])
    }

    @Test func aGapIsMarkedAndShowsNoState() throws {
        var sampler = AgentSampler(start: 0)
        let first = status(seconds: 10, reads: 100)
        _ = sampler.sample([.status(first, since: nil)], at: Self.second)
        let silent = sampler.sample([.lost(reason: "no response")], at: 2 * Self.second)
        let lost = try #require(silent)
        #expect(lost.program?.isConnected == false)
        #expect(lost.database.connections.isEmpty)
        #expect(lost.database.readers?.maximum == 4)
        #expect(lost.events.map(\.message) == ["connection lost: no response"])
        let waiting = sampler.sample([], at: 3 * Self.second)
        let stillLost = try #require(waiting)
        #expect(stillLost.program?.isConnected == false)
        #expect(stillLost.events.isEmpty)
        let next = status(process: 8, seconds: 1, reads: 5)
        let restarted = sampler.sample(
            [
                .reconnected(process: 8, gapNanoseconds: 3 * Self.second),
                .status(next, since: nil),
            ],
            at: 4 * Self.second
        )
        let found = try #require(restarted)
        #expect(found.program == ProgramStatus(process: 8, allowsControl: true))
        #expect(found.events.map(\.message) == ["reconnected to PID 8 after a gap of 3.00 s"])
        #expect(found.sequence > lost.sequence)
    }

    @Test func beforeTheFirstStatusThereIsNoSample() {
        var sampler = AgentSampler(start: 0)
        let sample = sampler.sample([.lost(reason: "refused")], at: 1)
        #expect(sample == nil)
    }
}
