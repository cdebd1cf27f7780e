import Testing

@testable import Isolation

/// Tests handwritten histories with each kind of anomaly, and correct histories that differ in one
/// detail.
struct AnomalyTests {
    private func kinds(_ build: (inout HistoryBuilder) -> Void) -> Set<AnomalyKind> {
        var builder = HistoryBuilder()
        build(&builder)
        return builder.kinds
    }

    @Test func anEmptyHistoryIsSerializable() {
        #expect(kinds { _ in }.isEmpty)
    }

    @Test func sequentialTransactionsAreSerializable() {
        let found = kinds {
            $0.add("a", .list([]), .append(1), .list([1]), .read(nil), .write(1))
            $0.add("b", .list([1]), .append(2), .append(3), .list([1, 2, 3]), .read(1), .write(2))
            $0.add("a", .list([1, 2, 3]), .read(2))
        }
        #expect(found.isEmpty)
    }

    // MARK: Values

    @Test func aValueWithoutAWriteIsUnknown() {
        #expect(kinds { $0.add("a", .list([7])) } == [.unknownValue])
        #expect(kinds { $0.add("a", .read(7)) } == [.unknownValue])
    }

    @Test func anElementThatAppearsTwiceIsDuplicated() {
        let found = kinds {
            $0.add("a", .append(1))
            $0.add("b", .list([1, 1]))
        }
        #expect(found == [.duplicateElement])
    }

    @Test func listsWithContradictoryOrdersAreIncompatible() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...50)
            $0.add("b", .append(2), at: 10...50)
            $0.add("c", .list([2, 1]), at: 10...50)
            $0.add("d", .list([1, 2]), at: 10...50)
        }
        #expect(found == [.incompatibleOrder])
    }

    @Test func aListWithAGapIsIncompatible() {
        let found = kinds {
            $0.add("a", .append(1))
            $0.add("a", .append(2))
            $0.add("a", .append(3))
            $0.add("b", .list([1, 2, 3]))
            $0.add("b", .list([1, 3]))
        }
        #expect(found.contains(.incompatibleOrder))
        #expect(found.contains(.lostWrite))
    }

    // MARK: Reads of absent values

    @Test(arguments: [HistoryTransaction.Outcome.aborted, .committed, .unknown])
    func onlyAnAbortedWriteMustNotBeObserved(outcome: HistoryTransaction.Outcome) {
        let lists = kinds {
            $0.add("a", .append(1), outcome: outcome)
            $0.add("b", .list([1]))
        }
        let registers = kinds {
            $0.add("a", .write(1), outcome: outcome)
            $0.add("b", .read(1))
        }
        #expect(lists == (outcome == .aborted ? [.abortedRead] : []))
        #expect(registers == (outcome == .aborted ? [.abortedRead] : []))
    }

    @Test func anAbortedTransactionObservesItsOwnWrites() {
        let found = kinds {
            $0.add("a", .append(1), .list([1]), .write(1), .read(1), outcome: .aborted)
            $0.add("b", .list([]), .read(nil))
        }
        #expect(found.isEmpty)
    }

    @Test func anUnknownOutcomeMustBeObservedEverywhereOrNowhere() {
        let found = kinds {
            $0.add("a", .append(1), .append(2, to: 2), at: 10...40, outcome: .unknown)
            $0.add("b", .list([1]), .list([], of: 2), at: 10...40)
            $0.add("c", .list([2], of: 2))
        }
        #expect(found == [.readSkew])
    }

    @Test func aReadBetweenTwoAppendsIsIntermediate() {
        let found = kinds {
            $0.add("a", .append(1), .append(2), at: 10...40)
            $0.add("b", .list([1]), at: 10...40)
            $0.add("c", .list([1, 2]))
        }
        #expect(found.contains(.intermediateRead))
    }

    @Test func aReadBetweenTwoWritesIsIntermediate() {
        let found = kinds {
            $0.add("a", .write(1), .write(2), at: 10...40)
            $0.add("b", .read(1), at: 10...40)
        }
        #expect(found == [.intermediateRead])
    }

    @Test func aReadThatEndsBeforeTheCommitBeginsIsDirty() {
        let lists = kinds {
            $0.add("a", .append(1), at: 30...40)
            $0.add("b", .list([1]), at: 10...20)
        }
        let registers = kinds {
            $0.add("a", .write(1), at: 30...40)
            $0.add("b", .read(1), at: 10...20)
        }
        #expect(lists == [.dirtyRead])
        #expect(registers == [.dirtyRead])
    }

    @Test func aReadThatOverlapsTheCommitMayObserveIt() {
        let found = kinds {
            $0.add("a", .append(1), .write(1), at: 15...40)
            $0.add("b", .list([1]), .read(1), at: 10...20)
        }
        #expect(found.isEmpty)
    }

    // MARK: One transaction

    @Test func aTransactionMustObserveItsOwnWrites() {
        let lists = kinds { $0.add("a", .append(1), .list([])) }
        let registers = kinds { $0.add("a", .write(1), .read(nil)) }
        #expect(lists == [.ownWriteMissing])
        #expect(registers == [.ownWriteMissing])
    }

    @Test func twoReadsInOneTransactionMustAgree() {
        let lists = kinds {
            $0.add("a", .list([]), .list([1]), at: 10...40)
            $0.add("b", .append(1), at: 10...40)
        }
        let registers = kinds {
            $0.add("a", .read(nil), .read(1), at: 10...40)
            $0.add("b", .write(1), at: 10...40)
        }
        #expect(lists == [.nonRepeatableRead])
        #expect(registers == [.nonRepeatableRead])
    }

    // MARK: Updates

    @Test func twoTransactionsThatReplaceOneValueLoseAnUpdate() {
        let found = kinds {
            $0.add("a", .read(nil), .write(1), at: 10...40)
            $0.add("b", .read(nil), .write(2), at: 10...40)
        }
        #expect(found.contains(.lostUpdate))
    }

    @Test func twoTransactionsThatExtendOneListLoseAnUpdate() {
        let found = kinds {
            $0.add("a", .list([]), .append(1), at: 10...40)
            $0.add("b", .list([]), .append(2), at: 10...40)
            $0.add("c", .list([1, 2]))
        }
        #expect(found == [.lostUpdate])
    }

    @Test func anUpdateThatReadsTheOtherUpdateLosesNothing() {
        let found = kinds {
            $0.add("a", .read(nil), .write(1), .list([]), .append(1), at: 10...40)
            $0.add("b", .read(1), .write(2), .list([1]), .append(2), at: 10...40)
            $0.add("c", .read(2), .list([1, 2]))
        }
        #expect(found.isEmpty)
    }

    @Test func aCommitMissingFromAllLaterReadsIsLost() {
        let lists = kinds {
            $0.add("a", .append(1))
            $0.add("b", .list([]))
        }
        let registers = kinds {
            $0.add("a", .read(nil), .write(1))
            $0.add("a", .read(1), .write(2))
            $0.add("b", .read(1))
        }
        #expect(lists == [.lostWrite])
        #expect(registers == [.lostWrite])
    }

    @Test func aCommitThatWasObservedAndDisappearsIsLost() {
        let found = kinds {
            $0.add("a", .append(1))
            $0.add("b", .list([1]))
            $0.add("c", .list([]))
        }
        #expect(found.contains(.lostWrite))
    }

    // MARK: Cycles

    @Test func writesThatOverwriteEachOtherAreDirty() {
        let found = kinds {
            $0.add("a", .append(1), .append(1, to: 2), at: 10...40)
            $0.add("b", .append(2), .append(2, to: 2), at: 10...40)
            $0.add("c", .list([1, 2]), .list([2, 1], of: 2))
        }
        #expect(found == [.dirtyWrite])
    }

    @Test func transactionsThatObserveEachOtherFormACycle() {
        let found = kinds {
            $0.add("a", .append(1), .list([2], of: 2), at: 10...40)
            $0.add("b", .append(2, to: 2), .list([1]), at: 10...40)
        }
        #expect(found == [.circularInformation])
    }

    @Test func aReadOfHalfATransactionIsSkewed() {
        let lists = kinds {
            $0.add("a", .append(1), .append(1, to: 2), at: 10...40)
            $0.add("b", .list([1]), .list([], of: 2), at: 10...40)
            $0.add("c", .list([1], of: 2))
        }
        let registers = kinds {
            $0.add("a", .write(1), .write(2, to: 2), at: 10...40)
            $0.add("b", .read(1), .read(nil, of: 2), at: 10...40)
        }
        #expect(lists == [.readSkew])
        #expect(registers == [.readSkew])
    }

    @Test func aReadThatMissesAWriteBeforeItsOtherReadIsSkewed() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...40)
            $0.add("b", .list([1]), .append(1, to: 2), at: 10...40)
            $0.add("c", .list([], of: 1), .list([1], of: 2), at: 10...40)
        }
        #expect(found == [.readSkew])
    }

    @Test func transactionsThatMissEachOthersWritesAreWriteSkew() {
        let found = kinds {
            $0.add("a", .list([], of: 2), .append(1), at: 10...40)
            $0.add("b", .list([], of: 1), .append(2, to: 2), at: 10...40)
            $0.add("c", .list([1]), .list([2], of: 2))
        }
        #expect(found == [.writeSkew])
    }

    // MARK: Sessions and time

    @Test func aSessionMustNotReadAnOlderState() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...90)
            $0.add("b", .list([1]), at: 20...30)
            $0.add("b", .list([]), at: 40...50)
        }
        #expect(found.contains(.nonMonotonicRead))
    }

    @Test func twoSessionsMayDifferWhileACommitRuns() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...90)
            $0.add("b", .list([]), at: 20...30)
            $0.add("c", .list([1]), at: 20...30)
        }
        #expect(found.isEmpty)
    }

    @Test func aReadThatMissesAReturnedCommitIsStale() {
        let lists = kinds {
            $0.add("a", .append(1), at: 10...20)
            $0.add("b", .list([]), at: 30...40)
            $0.add("b", .list([1]))
        }
        let registers = kinds {
            $0.add("a", .write(1), at: 10...20)
            $0.add("b", .read(nil), at: 30...40)
            $0.add("b", .read(1))
        }
        #expect(lists == [.staleRead])
        #expect(registers == [.staleRead])
    }

    @Test func aReadThatBeginsBeforeTheCommitReturnsMayMissIt() {
        let found = kinds {
            $0.add("a", .append(1), .write(1), at: 10...20)
            $0.add("b", .list([]), .read(nil), at: 20...40)
            $0.add("b", .list([1]), .read(1))
        }
        #expect(found.isEmpty)
    }

    @Test func aReadThatMissesACommitOfItsSessionIsStale() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...20)
            $0.add("a", .list([]), at: 20...30)
            $0.add("b", .list([1]))
        }
        #expect(found.contains(.staleRead))
    }

    @Test func aWriteThatDisappearsBetweenBlindWritesIsFound() {
        let found = kinds {
            $0.add("a", .write(1), at: 10...20)
            $0.add("b", .write(2), at: 30...40)
            $0.add("c", .read(1), at: 50...60)
            $0.add("c", .read(2))
        }
        #expect(found == [.staleRead])
    }

    @Test func writesOutOfRealTimeOrderAreFound() {
        let found = kinds {
            $0.add("a", .append(1), at: 10...20)
            $0.add("b", .append(2), at: 30...40)
            $0.add("c", .list([2, 1]))
        }
        #expect(found == [.realTimeViolation])
    }

    @Test func aSnapshotReadsTheStateAtItsCreation() {
        let found = kinds {
            $0.add("a", .append(1), at: 30...40)
            // The snapshot was created at 10 and is read after the commit.
            $0.add("b", .list([]), .list([]), at: 10...20)
            $0.add("b", .list([1]))
        }
        #expect(found.isEmpty)
    }

    // MARK: Explanations

    @Test func anExplanationContainsTransactionsValuesAndTimes() throws {
        var builder = HistoryBuilder()
        builder.add("writer", .append(5, to: 7), at: 1_000_000...2_000_000)
        builder.add("reader", .list([], of: 7), at: 2_500_000...3_000_000)
        builder.add("other", .list([5], of: 7))
        let anomaly = try #require(builder.anomalies.first)
        #expect(
            anomaly.description
                == "stale read: reader #1 (test) did not find 5, which writer #1 (test) appended, "
                + "in list 7; writer #1 (test) had ended 500.0 µs before reader #1 (test) began"
        )
        #expect(anomaly.transactions.sorted() == [0, 1])
    }

    @Test func aCheckReportsAFewOfManyAnomalies() {
        var builder = HistoryBuilder()
        for element in 1...100 { builder.add("a", .list([Int64(element)], of: Int64(element))) }
        #expect(builder.anomalies.count == IsolationCheck().limitPerKind)
    }
}
