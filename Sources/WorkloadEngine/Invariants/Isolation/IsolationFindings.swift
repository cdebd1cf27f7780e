import Isolation

/// The anomalies in the histories of all rounds.
struct IsolationFindings: Sendable {
    private struct Finding {
        var count: Int
        /// The number of the first round with the anomaly, starting at 1.
        var round: Int
        var explanation: String
    }

    private(set) var rounds = 0
    private(set) var transactions = 0
    private(set) var committed = 0
    private var findings: [AnomalyKind: Finding] = [:]

    mutating func add(_ history: History, _ anomalies: [Anomaly]) {
        rounds += 1
        transactions += history.transactions.count
        committed += history.transactions.count { $0.outcome == .committed }
        for anomaly in anomalies {
            let known = findings[anomaly.kind]
            findings[anomaly.kind] = Finding(
                count: (known?.count ?? 0) + 1,
                round: known?.round ?? rounds,
                explanation: known?.explanation ?? anomaly.explanation
            )
        }
    }

    var descriptions: [String] {
        AnomalyKind.allCases.compactMap { kind in
            guard let finding = findings[kind] else { return nil }
            let count = finding.count > 1 ? "\(finding.count) times, first " : ""
            return "\(kind.title), \(count)in round \(finding.round): \(finding.explanation)"
        }
    }

    /// Returns the invariant's result, which is undecided if no transaction was committed.
    func result(_ name: String, sessions: [String], failure: String?) -> InvariantResult {
        let work =
            ReportUnits.counted(transactions, "transaction") + " in "
            + ReportUnits.counted(rounds, "round")
        if !findings.isEmpty {
            return InvariantResult(
                name: name,
                passed: false,
                detail: (descriptions + ["\(work) were checked"]).joined(separator: "; ")
            )
        }
        guard committed > 0 else {
            let reason = failure.map { "no transaction was possible: \($0)" }
            return InvariantResult(
                name: name,
                passed: nil,
                detail: reason ?? "the run ended before the first transaction"
            )
        }
        return InvariantResult(
            name: name,
            passed: true,
            detail: "\(work), by \(sessions.joined(separator: ", "))"
        )
    }
}
