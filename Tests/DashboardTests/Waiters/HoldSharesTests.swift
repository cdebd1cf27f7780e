import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct HoldSharesTests {
    private func sample(_ sequence: Int, reader: String?, writer: String?) -> Sample {
        var database = DatabaseStatus(label: "db", kind: .pool)
        database.readers = ReaderPoolStatus(inUse: 0, open: 1, maximum: 2)
        var connections = [
            ConnectionStatus(label: "db.writer", role: .writer),
            ConnectionStatus(label: "db.reader.1", role: .reader),
        ]
        for (index, holder) in [writer, reader].enumerated() {
            guard let holder else { continue }
            connections[index].state = .statement
            connections[index].holder = AccessOrigin(name: holder)
        }
        database.connections = connections
        return Sample(
            sequence: sequence,
            time: Double(sequence) / 10,
            scenario: "s",
            arm: "a",
            database: database
        )
    }

    @Test func theHoldsOfTheLastSecondsAreAdded() {
        var history = History()
        // This sample is too old to be included.
        for sequence in 0..<100 { history.append(sample(sequence, reader: "old", writer: "old")) }
        for sequence in 100..<201 {
            let reader = sequence.isMultiple(of: 4) ? "report" : "ui"
            history.append(
                sample(sequence, reader: reader, writer: sequence < 151 ? "pay" : nil)
            )
        }
        let shares = HoldShares.all(in: history, seconds: 10)
        #expect(shares.map(\.resource) == [.readers, .writer])
        #expect(shares[0].count == 2)
        #expect(shares[0].holders.map(\.name) == ["ui", "report"])
        #expect(abs(shares[0].holders[0].heldCount - 0.75) < 0.02)
        #expect(shares[1].holders.map(\.name) == ["pay"])
        #expect(abs(shares[1].holders[0].heldCount - 0.5) < 0.02)
    }

    @Test func aPastMomentShowsTheSecondsBeforeIt() {
        var history = History()
        for sequence in 0..<100 { history.append(sample(sequence, reader: "old", writer: nil)) }
        for sequence in 100..<201 { history.append(sample(sequence, reader: "new", writer: nil)) }
        history.show(time: 9)
        #expect(HoldShares.all(in: history, seconds: 5)[0].holders.map(\.name) == ["old"])
    }

    @Test func thereAreNoHoldersBeforeTheFirstSample() {
        #expect(HoldShares.all(in: History(), seconds: 10).isEmpty)
    }

    @Test func aWaiterKeepsItsNameWhileTheQueueMoves() {
        var database = DatabaseStatus(label: "db", kind: .pool, takenAtNanoseconds: 9_000)
        database.readers = ReaderPoolStatus(inUse: 1, open: 1, maximum: 1)
        database.waitingReaders = [
            WaiterStatus(origin: AccessOrigin(name: "ui"), waitedNanoseconds: 500),
            WaiterStatus(origin: AccessOrigin(name: "ui"), waitedNanoseconds: 300),
        ]
        let before = WaitingAccess.all(in: database)
        database.takenAtNanoseconds = 9_100
        database.waitingReaders = [
            WaiterStatus(origin: AccessOrigin(name: "ui"), waitedNanoseconds: 400)
        ]
        let after = WaitingAccess.all(in: database)
        #expect(Set(before.map(\.name)).count == 2)
        #expect(after.map(\.name) == [before[1].name])
    }
}
