import Testing

@testable import Isolation
@testable import WorkloadEngine

struct IsolationFindingsTests {
    private func history(_ outcomes: [HistoryTransaction.Outcome]) -> History {
        History(
            sessions: ["a"],
            transactions: outcomes.enumerated().map { index, outcome in
                HistoryTransaction(
                    session: 0,
                    number: index + 1,
                    access: "write",
                    begin: 1,
                    end: 2,
                    outcome: outcome,
                    operations: []
                )
            }
        )
    }

    private func anomaly(_ kind: AnomalyKind, _ text: String) -> Anomaly {
        Anomaly(kind: kind, explanation: text, transactions: [])
    }

    @Test func eachKindIsCountedAndExplainedOnce() {
        var findings = IsolationFindings()
        findings.add(history([.committed, .committed]), [])
        findings.add(
            history([.committed]),
            [anomaly(.staleRead, "one"), anomaly(.staleRead, "two")]
        )
        findings.add(history([.committed]), [anomaly(.lostWrite, "three")])
        let result = findings.result("isolation", sessions: ["a"], failure: nil)
        #expect(result.passed == false)
        #expect(
            result.detail
                == "lost acknowledged commit, in round 3: three; "
                + "stale read, 2 times, first in round 2: one; "
                + "4 transactions in 3 rounds were checked"
        )
    }

    @Test func roundsWithoutAnomaliesPass() {
        var findings = IsolationFindings()
        findings.add(history([.committed, .aborted]), [])
        let result = findings.result("isolation", sessions: ["a", "b"], failure: "busy")
        #expect(result.passed == true)
        #expect(result.detail == "2 transactions in 1 round, by a, b")
    }

    @Test func withoutCommitsNothingIsChecked() {
        var findings = IsolationFindings()
        #expect(findings.result("isolation", sessions: [], failure: nil).passed == nil)
        findings.add(history([.aborted]), [])
        let result = findings.result("isolation", sessions: ["a"], failure: "locked")
        #expect(result.passed == nil)
        #expect(result.detail == "no transaction was possible: locked")
    }
}
