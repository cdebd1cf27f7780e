import Scenarios
import Testing

@testable import WorkloadEngine

/// Tests how `SQLITE_BUSY` failures are grouped.
struct BusyLedgerTests {
    @Test(
        arguments: [
            ("SQLITE_BUSY", .gaveUp(waited: 50, timeout: 50), BusyCause.timeout),
            ("SQLITE_BUSY", .gaveUp(waited: 0, timeout: 0), .noTimeout),
            ("SQLITE_BUSY", .gaveUp(waited: 0, timeout: nil), .timeout),
            ("SQLITE_BUSY", .skipped, .snapshotUpgrade), ("SQLITE_BUSY", .unknown, .timeout),
            ("SQLITE_BUSY_SNAPSHOT", .unknown, .snapshotUpgrade),
            ("SQLITE_BUSY_RECOVERY", .gaveUp(waited: 50, timeout: 50), .recovery),
            ("SQLITE_LOCKED", .unknown, nil),
        ] as [(String, BusyFailure.Handler, BusyCause?)]
    )
    func theCodeAndTheHandlerDetermineTheCause(
        code: String,
        handler: BusyFailure.Handler,
        cause: BusyCause?
    ) {
        #expect(BusyCause(code: code, handler: handler, timeout: 1_000) == cause)
    }

    @Test func withoutATimeoutAnUnknownHandlerNeverWaited() {
        #expect(BusyCause(code: "SQLITE_BUSY", handler: .unknown, timeout: 0) == .noTimeout)
    }

    private func failure(_ statement: String, holder: String? = nil) -> BusyLedger.Failure {
        var failure = BusyLedger.Failure(cause: .timeout, client: "ui", code: "SQLITE_BUSY")
        failure.statement = statement
        failure.waited = 20_000_000
        failure.timeout = 50_000_000
        failure.holder = holder
        return failure
    }

    @Test func equalFailuresFormOneGroup() throws {
        let ledger = BusyLedger()
        #expect(ledger.result == nil)
        ledger.add(failure("COMMIT", holder: "import"))
        var longer = failure("COMMIT")
        longer.waited = 50_000_000
        longer.isRetried = true
        ledger.add(longer)
        let result = try #require(ledger.result)
        let group = try #require(result.groups.first)
        #expect(result.groups.count == 1 && result.others == 0)
        #expect(group.count == 2 && group.retried == 1)
        #expect(group.waited == 70_000_000 && group.longestWait == 50_000_000)
        #expect(group.holders == ["import": 1, "unknown": 1])
        #expect(
            group.remedy
                == "raise the busy timeout above 50.0 ms, or shorten the transaction of import"
        )
    }

    @Test func groupsHoldersAndStatementsAreLimited() throws {
        let ledger = BusyLedger()
        for number in 0..<100 { ledger.add(failure("SELECT \(number)")) }
        for number in 0..<100 { ledger.add(failure("SELECT 0", holder: "holder \(number)")) }
        let result = try #require(ledger.result)
        #expect(result.groups.count == BusyLedger.limit)
        #expect(result.others == 100 - UInt64(BusyLedger.limit))
        #expect(result.groups.reduce(0) { $0 + $1.count } + result.others == 200)
        let largest = try #require(result.groups.first)
        #expect(largest.count == 101 && largest.holders.count <= BusyLedger.holderLimit)
        #expect(largest.holders.values.reduce(0, +) == 101)
        let long = BusyLedger()
        long.add(failure(String(repeating: "x", count: 9_000)))
        let statement = try #require(long.result?.groups.first?.statement)
        #expect(statement.count == BusyLedger.statementLimit + 1)
    }

    @Test(arguments: BusyCause.allCases)
    func eachCauseHasARemedyOnOneLine(cause: BusyCause) {
        let remedy = cause.remedy(timeout: 50_000_000, holder: "import", client: "ui")
        #expect(!remedy.isEmpty && !remedy.contains("\n") && !remedy.hasSuffix("."))
        let expected =
            switch cause {
            case .timeout, .recovery: "busy timeout above 50.0 ms"
            case .snapshotUpgrade: "BEGIN IMMEDIATE: `begin: immediate`"
            case .checkpoint: "the transaction of import"
            case .noTimeout: "`busy: {timeout: 5s}`"
            }
        #expect(remedy.contains(expected))
    }

    @Test func aReportContainsTheSettingsOfTheBusyHandler() {
        var arm = Arm(name: "a", kind: .queue)
        #expect(arm.busySettings == nil)
        arm.busyTimeout = .seconds(5)
        #expect(arm.busySettings == "timeout 5.00 s")
        arm.busyTimeout = .milliseconds(50)
        arm.busyRetry = .fixed(.milliseconds(1))
        #expect(arm.busySettings == "timeout 50.0 ms, retry fixed 1.00 ms")
    }
}
