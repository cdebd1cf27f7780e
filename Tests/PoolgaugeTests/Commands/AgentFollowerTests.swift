import PoolgaugeAgent
import Telemetry
import Testing

@testable import poolgauge

struct AgentFollowerTests {
    private func status(process: Int32, age: UInt64) -> AgentStatus {
        AgentStatus(
            name: "app",
            process: process,
            ageNanoseconds: age,
            allowsControl: false,
            database: DatabaseStatus(label: "app", kind: .queue)
        )
    }

    @Test func statusesOfOneRunAreCompared() {
        var follower = AgentFollower()
        let first = status(process: 1, age: 5)
        let second = status(process: 1, age: 6)
        #expect(follower.receive(first, at: 10) == [.status(first, since: nil)])
        #expect(follower.receive(second, at: 20) == [.status(second, since: first)])
    }

    @Test func aGapLastsFromTheLastStatusToTheNext() {
        var follower = AgentFollower()
        _ = follower.receive(status(process: 1, age: 5), at: 10)
        #expect(follower.recordFailure(reason: "refused") == [.lost(reason: "refused")])
        #expect(follower.recordFailure(reason: "refused") == [])
        let next = status(process: 2, age: 1)
        #expect(
            follower.receive(next, at: 40) == [
                .reconnected(process: 2, gapNanoseconds: 30), .status(next, since: nil),
            ]
        )
        // A later failure is reported again.
        #expect(follower.recordFailure(reason: "refused") == [.lost(reason: "refused")])
    }

    @Test func aRestartBetweenTwoRequestsIsAGap() {
        var follower = AgentFollower()
        _ = follower.receive(status(process: 1, age: 50), at: 10)
        let next = status(process: 1, age: 2)
        #expect(
            follower.receive(next, at: 20) == [
                .reconnected(process: 1, gapNanoseconds: 10), .status(next, since: nil),
            ]
        )
    }

    @Test func aGapInTheSameRunKeepsTheComparison() {
        var follower = AgentFollower()
        let first = status(process: 1, age: 5)
        _ = follower.receive(first, at: 10)
        _ = follower.recordFailure(reason: "no answer")
        let next = status(process: 1, age: 25)
        #expect(
            follower.receive(next, at: 30) == [
                .reconnected(process: 1, gapNanoseconds: 20), .status(next, since: first),
            ]
        )
    }

    @Test func addressesAreDistinguished() {
        #expect(AgentAddress("app") == .name("app"))
        #expect(AgentAddress("4711") == .process(4711))
        #expect(AgentAddress("./a.sock") == .socket(path: "./a.sock"))
    }
}
