import Testing

@testable import Capture

/// Tests grouping executions into transactions, and transactions into shapes.
struct TransactionAssemblerTests {
    private func assemble(
        _ executions: [CapturedExecution]
    ) throws -> ([CapturedTransaction], TransactionAssembler.Leftovers) {
        var assembler = TransactionAssembler()
        for execution in executions {
            assembler.add(execution, try CaptureFixture.parse(execution.sql))
        }
        assembler.finish()
        return (assembler.transactions, assembler.leftovers)
    }

    private static let read = "SELECT * FROM users WHERE id = 10"
    private static let write = "UPDATE users SET age = 20 WHERE id = 10"

    @Test func aTransactionRecordsItsStatementsGapsAndKind() throws {
        let (transactions, _) = try assemble(
            CaptureFixture.executions([
                Self.read, "BEGIN IMMEDIATE", Self.read, Self.write, "COMMIT",
            ])
        )
        #expect(transactions.map(\.begin) == [.autocommit, .immediate])
        #expect(transactions.map(\.outcome) == [.committed, .committed])
        #expect(transactions.map { $0.statements.count } == [1, 2])
        #expect(transactions.map(\.writes) == [false, true])
        // Each statement takes a millisecond and precedes a gap of one millisecond.
        #expect(transactions[1].gaps.count == 3)
        #expect(transactions[1].gaps.allSatisfy { abs($0 - 0.001) < 1e-9 })
        #expect(abs(transactions[1].duration - 0.007) < 1e-9)
    }

    /// A program executes statements while it reads the rows of a query, which ends last.
    @Test func aQueryAroundOtherStatementsAddsNoGap() throws {
        var executions = CaptureFixture.executions(["BEGIN", Self.write, Self.read, "COMMIT"])
        executions[2].elapsed = 0.004
        executions[2].betweenSteps = 0.003
        let (transactions, _) = try assemble(executions)
        let gaps = try #require(transactions.first).gaps
        #expect(gaps.allSatisfy { abs($0 - 0.001) < 1e-9 }, "\(gaps)")
    }

    /// The statement's steps take 1 ms.
    ///
    /// Between them, the program takes 2 ms and the probes take 4 ms.
    @Test func theCostOfATraceIsNotAGap() throws {
        var executions = CaptureFixture.executions(["BEGIN", Self.read, "COMMIT"])
        executions[1].end += 0.006
        executions[1].elapsed = 0.007
        executions[1].betweenSteps = 0.002
        executions[2].end += 0.006
        let (transactions, _) = try assemble(executions)
        let gaps = try #require(transactions.first).gaps
        #expect(gaps.count == 2)
        #expect(abs(gaps[0] - 0.003) < 1e-9 && abs(gaps[1] - 0.001) < 1e-9)
    }

    @Test(arguments: [
        ("BEGIN", CapturedTransaction.Begin.deferred), ("begin deferred transaction", .deferred),
        ("BEGIN EXCLUSIVE", .exclusive), ("SAVEPOINT a", .savepoint),
    ])
    func eachKindOfBeginIsRecognized(sql: String, begin: CapturedTransaction.Begin) throws {
        let end = begin == .savepoint ? "RELEASE SAVEPOINT A" : "END TRANSACTION"
        let (transactions, _) = try assemble(CaptureFixture.executions([sql, Self.write, end]))
        #expect(transactions.map(\.begin) == [begin])
    }

    @Test func aSavepointInsideATransactionIsAStatement() throws {
        let (transactions, _) = try assemble(
            CaptureFixture.executions([
                "BEGIN", "SAVEPOINT s1", Self.write, "ROLLBACK TO s1", "RELEASE s1", "COMMIT",
            ])
        )
        #expect(transactions.count == 1)
        #expect(
            transactions[0].statements.map(\.statement.verb)
                == ["SAVEPOINT", "UPDATE", "ROLLBACK", "RELEASE"]
        )
    }

    /// A program that could not begin a transaction reads instead.
    @Test func aFailedBeginIsAFailureOfTheTransactionThatUsuallyFollowsIt() throws {
        var executions = CaptureFixture.executions([
            "BEGIN IMMEDIATE", Self.write, "COMMIT", "BEGIN IMMEDIATE", Self.read, Self.read,
        ])
        executions[3].code = 5
        let (transactions, leftovers) = try assemble(executions)
        #expect(transactions.map(\.begin) == [.immediate, .immediate, .autocommit, .autocommit])
        #expect(transactions.map(\.outcome) == [.committed, .busy, .committed, .committed])
        #expect(transactions.map(\.busyCount) == [0, 1, 0, 0])
        #expect(transactions[1].statements.map(\.statement.verb) == ["UPDATE"])
        #expect(transactions[1].neverBegan)
        #expect(leftovers.failures.isEmpty)
    }

    @Test func aFailedBeginWithoutAnotherTransactionIsALeftover() throws {
        var executions = CaptureFixture.executions(["BEGIN IMMEDIATE", Self.read])
        executions[0].code = 5
        let (transactions, leftovers) = try assemble(executions)
        #expect(transactions.map(\.busyCount) == [0])
        #expect(leftovers.failures == [5: 1])
    }

    @Test func aBeginAfterALongPauseIsANewAttempt() throws {
        var executions = CaptureFixture.executions(["BEGIN IMMEDIATE"])
        executions[0].code = 5
        executions += CaptureFixture.executions(["BEGIN IMMEDIATE", Self.write, "COMMIT"], from: 1)
        let (transactions, _) = try assemble(executions)
        #expect(transactions.map(\.outcome) == [.busy, .committed])
        #expect(transactions.map(\.busyCount) == [1, 0])
    }

    @Test func aFailedBeginIsCountedInTheNextTransaction() throws {
        var executions = CaptureFixture.executions([
            "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", Self.write, "COMMIT",
        ])
        executions[0].code = 5
        executions[1].code = 517
        let (transactions, _) = try assemble(executions)
        #expect(transactions.map(\.busyCount) == [2])
        #expect(transactions[0].statements.count == 1)
    }

    @Test func aRetriedStatementIsOneStatement() throws {
        var executions = CaptureFixture.executions([
            "BEGIN", Self.write, Self.write, "COMMIT", "COMMIT",
        ])
        executions[1].code = 5
        executions[3].code = 5
        let (transactions, _) = try assemble(executions)
        #expect(transactions.map(\.busyCount) == [2])
        #expect(transactions[0].statements.count == 1)
        #expect(transactions[0].outcome == .committed)
    }

    @Test func anErrorCanEndATransaction() throws {
        var executions = CaptureFixture.executions(["BEGIN", Self.read, Self.write])
        executions[2].code = 5
        executions[2].autocommit = true
        let (transactions, leftovers) = try assemble(executions)
        #expect(transactions.map(\.outcome) == [.busy])
        #expect(leftovers.openTransactionCount == 0)
    }

    @Test func aRollbackAfterABusyErrorIsAFailure() throws {
        var executions = CaptureFixture.executions([
            "BEGIN", Self.write, "ROLLBACK", "BEGIN", Self.write, "ROLLBACK",
        ])
        executions[1].code = 5
        let (transactions, _) = try assemble(executions)
        #expect(transactions.map(\.outcome) == [.busy, .rolledBack])
    }

    /// A wait for the lock belongs to the transaction, even if durations are unknown.
    @Test func aKnownWaitIsPartOfTheTransaction() throws {
        var executions = CaptureFixture.executions(["BEGIN IMMEDIATE", Self.write, "COMMIT"])
        for index in executions.indices { executions[index].seconds = nil }
        executions[0].waited = 0.5
        let (transactions, _) = try assemble(executions)
        #expect(abs(transactions[0].duration - 0.504) < 1e-9)
        #expect(!transactions[0].isTimed)
    }

    /// Python's `sqlite3` module begins transactions implicitly, so only the autocommit state shows
    /// them.
    @Test func theAutocommitStateShowsImplicitTransactions() throws {
        var executions = CaptureFixture.executions([Self.read, Self.write, Self.write, "COMMIT"])
        for (index, state) in [true, false, false, true].enumerated() {
            executions[index].autocommit = state
        }
        let (transactions, _) = try assemble(executions)
        #expect(transactions.map(\.begin) == [.autocommit, .deferred])
        #expect(transactions.map { $0.statements.count } == [1, 2])
    }

    /// If a trace starts inside a transaction, the trace contains only the rest of the transaction.
    @Test func aPartialTransactionIsSkipped() throws {
        var executions = CaptureFixture.executions([
            Self.read, Self.write, "COMMIT", "BEGIN", Self.write, "COMMIT",
        ])
        for index in [0, 1, 3, 4] { executions[index].autocommit = false }
        for index in [2, 5] { executions[index].autocommit = true }
        var assembler = TransactionAssembler(statesAreKnown: false)
        for execution in executions {
            assembler.add(execution, try CaptureFixture.parse(execution.sql))
        }
        assembler.finish()
        #expect(assembler.transactions.map { $0.statements.count } == [1])
        #expect(assembler.leftovers.cutStatementCount == 2)
    }

    @Test func unfinishedTransactionsAreCounted() throws {
        let (transactions, leftovers) = try assemble(
            CaptureFixture.executions(["BEGIN", Self.write, "BEGIN", Self.write])
        )
        #expect(transactions.isEmpty)
        #expect(leftovers.missingEndCount == 1 && leftovers.openTransactionCount == 1)
    }

    @Test(arguments: [
        ([1], "1"), ([1, 2, 3], "1 2 3"), ([1, 1], "2×[1]"), ([1, 2, 2, 2, 3], "1 3×[2] 3"),
        ([1, 2, 3, 2, 3, 4], "1 2×[2 3] 4"), ([1, 2, 1, 2, 1], "2×[1 2] 1"),
        ([1, 1, 2, 1, 1, 2], "2×[1 1 2]"), (Array(repeating: 7, count: 100), "64×[7]"),
        (Array(repeating: [1, 2, 3], count: 9).flatMap { $0 }, "8×[1 2 3]"),
    ])
    func repetitionsBecomeLoops(statements: [Int], expected: String) {
        let occurrences = TransactionShape.occurrences(of: statements)
        let text = occurrences.map { occurrence -> String in
            switch occurrence.part {
            case .statement(let number): "\(number)"
            case .loop(let body, let times):
                "\(times)×[\(body.map(String.init).joined(separator: " "))]"
            }
        }.joined(separator: " ")
        #expect(text == expected)
        let covered = occurrences.reduce(0) { $0 + $1.count * $1.part.length }
        #expect(covered == statements.count)
    }
}
