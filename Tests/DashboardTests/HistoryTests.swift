import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct HistoryTests {
    @Test func aFullBufferReturnsTheNewestElementsInOrder() {
        var buffer = RingBuffer<Int>(capacity: 3)
        #expect(buffer.elements == [])
        for number in 0..<8 { buffer.append(number) }
        #expect(buffer.elements == [5, 6, 7])
        buffer.removeAll()
        buffer.append(8)
        #expect(buffer.elements == [8])
    }

    @Test func aRingDropsItsOldestElement() {
        var ring = RingBuffer<Int>(capacity: 3)
        #expect(ring.last == nil)
        for number in 1...7 { ring.append(number) }
        #expect((0..<ring.count).map { ring[$0] } == [5, 6, 7])
        #expect(ring.last == 7)
        ring.removeAll()
        ring.append(8)
        #expect(ring.count == 1 && ring[0] == 8)
    }

    @Test func aHistoryIsBoundedAndItsSeriesStayAligned() {
        var history = History()
        for sample in Story().samples(until: 320) { history.append(sample) }
        #expect(history.moments.count == History.capacity)
        for lane in history.lanes { #expect(lane.states.count <= History.capacity) }
        for series in history.throughputs { #expect(series.count == History.capacity) }
        #expect(history.events.count <= 200)
        #expect(history.lanes[0].states.last == history.lanes[0].state)
    }

    @Test func anotherArmStartsANewHistoryAndKeepsTheEvents() {
        var history = History()
        for sample in Story().samples(until: 8) { history.append(sample) }
        for sample in Story(kind: .queue).samples(until: 0.2) { history.append(sample) }
        #expect(history.moments.count == 3)
        #expect(history.lanes.map(\.role) == [.queue])
        let messages = (0..<history.events.count).map { history.events[$0].message }
        #expect(messages.contains("arm queue starts"))
        #expect(messages.contains("phase steady starts"))
    }

    @Test func aRestartedRunStartsANewHistory() {
        var history = History()
        for _ in 0..<2 {
            for sample in Story().samples(until: 1) { history.append(sample) }
        }
        #expect(history.moments.count == 11)
    }

    @Test func aClosedConnectionRemainsBriefly() throws {
        var history = History()
        var sample = try #require(Story().samples(until: 0).first)
        history.append(sample)
        let all = history.lanes.count
        sample.database.connections.removeLast()
        for sequence in 1...20 {
            sample.sequence = sequence
            sample.time = Double(sequence) / 10
            history.append(sample)
        }
        #expect(history.lanes.count == all)
        #expect(history.lanes.last?.state == .absent)
        for sequence in 21...40 {
            sample.sequence = sequence
            history.append(sample)
        }
        #expect(history.lanes.count == all - 1)
    }

    @Test func lanesAreSortedRegardlessOfTheirOrderOfArrival() throws {
        var history = History()
        var sample = try #require(Story(readers: 2).samples(until: 0).first)
        sample.database.connections = [
            ConnectionStatus(label: "d.snapshot.1", role: .snapshot),
            ConnectionStatus(label: "d.reader.1", role: .reader),
            ConnectionStatus(label: "d.writer", role: .writer),
            ConnectionStatus(label: "d.reader.2", role: .reader),
        ]
        history.append(sample)
        #expect(
            history.lanes.map(\.shortLabel) == ["writer", "reader 1", "reader 2", "snapshot 1"]
        )
    }

    @Test func binsKeepTheirValuesWhileTheyMove() {
        func values(at count: Int) -> [Double] {
            var moments = RingBuffer<Moment>(capacity: 1_000)
            for index in 0..<count {
                var moment = Moment(Story().samples(until: 0)[0], time: Double(index) * 0.1)
                moment.inUse = Double(index / 10)
                moments.append(moment)
            }
            let bins = TimeBins(
                moments: moments,
                seconds: 5,
                until: Double(count - 1) * 0.1,
                count: 5
            )
            return bins.values(.mean) { moments[$0].inUse }
        }
        #expect(values(at: 60) == [1, 2, 3, 4, 5])
        #expect(values(at: 70) == [2, 3, 4, 5, 6])
        #expect(values(at: 75) == [3, 4, 5, 6, 7])
        let few = values(at: 15)
        #expect(few[0].isNaN && few[2].isNaN && few[3] == 0 && few[4] == 1)
    }

    @Test func aBinUsesTheMaximumAndGapsAreFilled() throws {
        let sample = try #require(Story().samples(until: 0).first)
        var moments = RingBuffer<Moment>(capacity: 10)
        for (time, waiting) in [(0.0, 3.0), (0.4, 9.0), (0.9, 1.0), (3.0, 2.0)] {
            var moment = Moment(sample, time: time)
            moment.waitingReaders = waiting
            moments.append(moment)
        }
        let bins = TimeBins(moments: moments, seconds: 4, until: 3, count: 4)
        #expect(bins.values(.maximum) { moments[$0].waitingReaders } == [9, 9, 9, 2])
    }
}
