import Telemetry
import Testing

@testable import Isolation

/// Tests when recorded transactions can take effect.
struct HistoryRecorderTests {
    /// A clock that advances by ten each time it is read.
    private final class Ticks: Sendable {
        private let value = Lock<UInt64>(0)

        func next() -> UInt64 {
            value.withLock { value in
                value += 10
                return value
            }
        }
    }

    private func recorded(
        _ outcome: HistoryTransaction.Outcome = .committed,
        _ body: (RecordedTransaction) -> Void
    ) throws -> HistoryTransaction {
        let ticks = Ticks()
        let recorder = HistoryRecorder { ticks.next() }
        let transaction = recorder.begin("test", in: recorder.addSession("s"))
        body(transaction)
        transaction.end(outcome)
        return try #require(recorder.history.transactions.first)
    }

    @Test func aReadTakesEffectBeforeItsFirstStatementEnds() throws {
        let transaction = try recorded {
            $0.add(.readRegister(1, value: nil))
            $0.add(.readRegister(2, value: nil))
            $0.willCommit()
        }
        #expect(transaction.begin == 10)
        #expect(transaction.end == 20)
    }

    @Test func aWriteTakesEffectWhileItCommits() throws {
        let transaction = try recorded {
            $0.add(.readRegister(1, value: nil))
            $0.add(.write(register: 1, value: 1))
            $0.willCommit()
        }
        #expect(transaction.begin == 40)
        #expect(transaction.end == 50)
    }

    @Test func anAbortedWriteObservesOneStateFromItsFirstStatementOnward() throws {
        let transaction = try recorded(.aborted) {
            $0.add(.readRegister(1, value: nil))
            $0.add(.write(register: 1, value: 1))
            $0.willCommit()
        }
        #expect(transaction.begin == 10)
        #expect(transaction.end == 20)
    }

    @Test func aSnapshotTakesEffectWhileItIsCreated() throws {
        let transaction = try recorded {
            $0.didObserve()
            $0.add(.readRegister(1, value: nil))
        }
        #expect(transaction.begin == 10)
        #expect(transaction.end == 20)
    }

    @Test func aDeferredReadObservesNothingBeforeItsFirstStatement() throws {
        let transaction = try recorded {
            $0.willObserve()
            $0.add(.readRegister(1, value: nil))
        }
        #expect(transaction.begin == 20)
        #expect(transaction.end == 30)
    }

    @Test func sessionsCountTheirTransactions() {
        let recorder = HistoryRecorder()
        let (first, second) = (recorder.addSession("a"), recorder.addSession("b"))
        for session in [first, second, first] {
            let transaction = recorder.begin("test", in: session)
            transaction.end(.committed)
            transaction.end(.aborted)
        }
        let transactions = recorder.history.transactions
        #expect(transactions.map(\.number) == [1, 1, 2])
        #expect(transactions.map(\.session) == [0, 1, 0])
        recorder.removeAll()
        #expect(recorder.history.sessions == ["a", "b"])
        #expect(recorder.history.transactions.isEmpty)
    }

    @Test func aCommitIsReportedBeforeItBegins() {
        let ticks = Ticks()
        let reports = Lock<[HistoryTransaction]>([])
        let recorder = HistoryRecorder(
            clock: { ticks.next() },
            onProgress: { transaction in reports.withLock { $0.append(transaction) } }
        )
        let transaction = recorder.begin("write", in: recorder.addSession("s"))
        transaction.add(.write(register: 1, value: 1))
        transaction.willCommit()
        #expect(recorder.history.transactions.isEmpty)
        transaction.end(.committed)
        let reported = reports.withLock { $0 }
        #expect(reported.map(\.outcome) == [.unknown, .committed])
        #expect(reported.map(\.end) == [.max, 40])
        #expect(reported.allSatisfy { $0.operations == [.write(register: 1, value: 1)] })
    }

    @Test func appendingAHistoryAddsItsSessions() {
        let recorder = HistoryRecorder()
        _ = recorder.addSession("a")
        recorder.add(
            History(
                sessions: ["b"],
                transactions: [
                    HistoryTransaction(
                        session: 0,
                        number: 1,
                        access: "write",
                        begin: 1,
                        end: 2,
                        operations: []
                    )
                ]
            )
        )
        #expect(recorder.history.sessions == ["a", "b"])
        #expect(recorder.history.transactions.map(\.session) == [1])
    }
}
