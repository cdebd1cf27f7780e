import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

struct InvariantCheckTests {
    private func check(
        _ name: String,
        rows: @escaping @Sendable (String, [WorkloadValue]) -> [[WorkloadValue]]
    ) -> InvariantResult {
        let target = FakeTarget(clock: SimulatedClock(), .init(rows: rows))
        return InvariantCheck(target: target, stability: StabilityLog()).check(name)
    }

    private func sums(_ history: Int64) -> InvariantResult {
        check("tpcb-sums") { sql, values in
            if sql.contains("sqlite_master") { return [[values[1]]] }
            return [[.integer(sql.contains("pgbench_history") ? history : 12)]]
        }
    }

    @Test func theFourSumsMustBeEqual() {
        #expect(sums(12).passed == true)
        #expect(sums(13).passed == false)
        #expect(sums(13).detail == "accounts 12, tellers 12, branches 12, history 13")
    }

    @Test func aMissingTableFails() {
        let result = check("tpcb-sums") { _, _ in [] }
        #expect(result.passed == false)
        #expect(result.detail.contains("the table accounts"))
    }

    @Test func theIntegrityCheckMustReturnOK() {
        #expect(check("integrity-check") { _, _ in [[.text("ok")]] }.passed == true)
        let broken = check("integrity-check") { _, _ in [[.text("row 7 missing")]] }
        #expect(broken.passed == false)
        #expect(broken.detail == "row 7 missing")
    }

    @Test func anUnknownInvariantFails() {
        #expect(check("tpcb-sum") { _, _ in [] }.passed == false)
    }

    @Test(
        arguments: [
            ([.integer(1)], true), ([.integer(0)], false), ([.null], false), ([.real(0.5)], true),
            ([.real(0)], false), ([.text("ok")], true), ([.integer(1), .integer(0)], false),
        ] as [([WorkloadValue], Bool)]
    )
    func aCustomQueryHoldsIfItsFirstRowIsTrue(row: [WorkloadValue], holds: Bool) {
        let target = FakeTarget(clock: SimulatedClock(), .init(rows: { _, _ in [row] }))
        let result = InvariantCheck(target: target, stability: StabilityLog())
            .check(DataInvariant(name: "mine", sql: "SELECT 1"))
        #expect(result.name == "mine")
        #expect(result.passed == holds)
        #expect(result.detail.hasSuffix("from 'SELECT 1'"))
    }

    @Test func aQueryWithoutRowsDoesNotHold() {
        let target = FakeTarget(clock: SimulatedClock())
        let result = InvariantCheck(target: target, stability: StabilityLog())
            .check(DataInvariant(name: "mine", sql: "SELECT 1 WHERE 0"))
        #expect(result.passed == false)
        #expect(result.detail == "no rows from 'SELECT 1 WHERE 0'")
    }
}
