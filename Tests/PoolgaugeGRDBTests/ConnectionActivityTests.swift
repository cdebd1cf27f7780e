#if GRDB
import Telemetry
import Testing

@testable import PoolgaugeGRDB

struct ConnectionActivityTests {
    private let site = CallSite("ui", #fileID, 1)

    private func start(
        _ activity: inout ConnectionActivity,
        _ id: UInt,
        _ sql: String,
        isReadOnly: Bool = true,
        at now: UInt64
    ) -> ConnectionActivity.Change? {
        sql.withCString {
            activity.statementDidStart(id, text: $0, isReadOnly: isReadOnly, at: now)
        }
    }

    @Test func aTransactionHoldsTheConnection() {
        var activity = ConnectionActivity(role: .reader)
        #expect(start(&activity, 1, "BEGIN DEFERRED TRANSACTION", at: 10) == .began)
        let begun = activity.statementDidEnd(
            1,
            isInTransaction: true,
            transaction: .none,
            at: 11
        )
        #expect(begun.ended == nil)
        #expect(begun.change == nil)
        let open = activity.status(label: "r", at: 15)
        #expect(open.state == .closure)
        #expect(open.heldNanoseconds == 5)
        #expect(open.holder == nil)
        #expect(open.transaction == TransactionState.none)
        #expect(open.accessCount == 1)

        #expect(start(&activity, 2, "SELECT 1", at: 20) == nil)
        let running = activity.status(label: "r", at: 24)
        #expect(running.state == .statement)
        #expect(running.sql == "SELECT 1")
        #expect(running.sqlNanoseconds == 4)
        #expect(running.transaction == .read)
        let read = activity.statementDidEnd(2, isInTransaction: true, transaction: .read, at: 30)
        #expect(read.ended == .statement(10))
        #expect(activity.status(label: "r", at: 31).transaction == .read)

        #expect(start(&activity, 3, "COMMIT TRANSACTION", at: 40) == nil)
        #expect(activity.status(label: "r", at: 41).state == .committing)
        let end = activity.statementDidEnd(3, isInTransaction: false, transaction: .none, at: 45)
        // Only a write transaction has a commit.
        #expect(end.ended == nil)
        #expect(end.change == .ended(35))
        let idle = activity.status(label: "r", at: 50)
        #expect(idle.state == .idle)
        #expect(idle.sql == nil && idle.heldNanoseconds == nil && idle.sqlNanoseconds == nil)
        #expect(idle.accessCount == 1)
    }

    @Test func anAccessInATransactionIsOneHold() {
        var activity = ConnectionActivity(role: .reader)
        _ = start(&activity, 1, "BEGIN", at: 10)
        _ = activity.statementDidEnd(1, isInTransaction: true, transaction: .none, at: 11)
        #expect(activity.accessDidStart(site, at: 12) == nil)
        #expect(activity.status(label: "r", at: 13).holder == AccessOrigin(name: "ui"))
        let accessEnd = activity.accessDidEnd(at: 20)
        #expect(accessEnd.held == 8)
        #expect(accessEnd.change == nil)
        #expect(activity.status(label: "r", at: 21).holder == nil)
        _ = start(&activity, 2, "COMMIT", at: 22)
        let end = activity.statementDidEnd(2, isInTransaction: false, transaction: .none, at: 25)
        #expect(end.change == .ended(15))
        #expect(activity.status(label: "r", at: 26).accessCount == 1)
    }

    @Test func theEndOfAWriteTransactionIsACommit() {
        for (sql, expected) in [
            ("COMMIT", ConnectionActivity.EndedStatement.commit(5)),
            ("  end transaction", .commit(5)),
            ("RELEASE SAVEPOINT s", .commit(5)), ("ROLLBACK", nil),
        ] {
            var activity = ConnectionActivity(role: .writer)
            _ = start(&activity, 1, "SAVEPOINT s", at: 1)
            _ = activity.statementDidEnd(1, isInTransaction: true, transaction: .none, at: 2)
            _ = start(&activity, 2, "INSERT INTO t VALUES (1)", isReadOnly: false, at: 3)
            // The statement may still wait for the lock.
            #expect(activity.status(label: "w", at: 4).transaction == nil)
            _ = activity.statementDidEnd(2, isInTransaction: true, transaction: .write, at: 5)
            _ = start(&activity, 3, sql, at: 10)
            #expect(activity.status(label: "w", at: 11).transaction == .write)
            let end = activity.statementDidEnd(
                3,
                isInTransaction: false,
                transaction: .none,
                at: 15
            )
            #expect(end.ended == expected, "\(sql)")
        }
    }

    @Test func triggersAndUnknownStatementsAreIgnored() {
        var activity = ConnectionActivity(role: .writer)
        _ = start(&activity, 1, "INSERT INTO t VALUES (1)", isReadOnly: false, at: 10)
        #expect(start(&activity, 1, "-- TRIGGER tr", at: 11) == nil)
        #expect(activity.status(label: "w", at: 12).sql == "INSERT INTO t VALUES (1)")
        let unknown = activity.statementDidEnd(
            9,
            isInTransaction: true,
            transaction: .write,
            at: 13
        )
        #expect(unknown.ended == nil && unknown.change == nil)
        let end = activity.statementDidEnd(1, isInTransaction: false, transaction: .none, at: 14)
        #expect(end.change == .ended(4))
    }

    @Test func theOpenTransactionOfASnapshotIsNotAHold() {
        var activity = ConnectionActivity(role: .snapshot)
        _ = start(&activity, 1, "BEGIN", at: 10)
        let begun = activity.statementDidEnd(1, isInTransaction: true, transaction: .read, at: 12)
        #expect(begun.change == .ended(2))
        let status = activity.status(label: "s", at: 20)
        #expect(status.state == .idle)
        #expect(status.transaction == .read)
    }
}

struct ReaderUseTests {
    @Test func aPoolIsSaturatedWhileAnAccessWaitsForAReader() {
        var use = ReaderUse(maximum: 2)
        use.beginHold(at: 10)
        use.beginWait(at: 20)
        use.beginHold(at: 30)
        use.endWait(at: 35)
        use.endHold(at: 40)
        use.endHold(at: 50)
        use.advance(to: 100)
        #expect(use.busyTime == 20 + 20 + 10)
        #expect(use.saturatedTime == 5)
        #expect(use.peak == 2)
        #expect(use.inUse == 0)
    }
}
#endif
