import Text

/// A type that checks a scenario's invariants after a run.
struct InvariantCheck {
    let target: any WorkloadTarget
    let stability: StabilityLog

    private static let reader = WorkloadClientName("invariants")

    func check(_ name: String) -> InvariantResult {
        do {
            switch Invariant(rawValue: name) {
            case .tpcbSums: return try checkSums(name)
            case .integrityCheck: return try checkIntegrity(name)
            case .snapshotsStable: return checkSnapshots(name)
            case nil:
                let known = Invariant.allCases.map(\.rawValue).joined(separator: ", ")
                return InvariantResult(
                    name: name,
                    passed: false,
                    detail: "unknown invariant; expected one of \(known)"
                )
            }
        } catch {
            return InvariantResult(
                name: name,
                passed: false,
                detail: "could not be checked: \(error)"
            )
        }
    }

    /// Checks pgbench's invariant that four sums are equal.
    ///
    /// Each transaction adds the same delta to an account, a teller, a branch, and the history.
    private func checkSums(_ name: String) throws -> InvariantResult {
        let columns = [
            ("accounts", "abalance"), ("tellers", "tbalance"), ("branches", "bbalance"),
            ("history", "delta"),
        ]
        var sums: [(table: String, sum: String)] = []
        try target.perform(.read, as: Self.reader) { session in
            for (table, column) in columns {
                let name = try tableName(table, session)
                let rows = try session.rows("SELECT coalesce(sum(\(column)), 0) FROM \(name)", [])
                guard case .integer(let sum) = rows.first?.first else {
                    throw UnexpectedResult(subject: "the sum of \(name).\(column)", rows: rows)
                }
                sums.append((table, String(sum)))
            }
        }
        let text = sums.map { "\($0.table) \($0.sum)" }.joined(separator: ", ")
        return InvariantResult(name: name, passed: Set(sums.map(\.sum)).count == 1, detail: text)
    }

    private func tableName(_ table: String, _ session: any WorkloadSession) throws -> String {
        let rows = try session.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)",
            [.text(table), .text("pgbench_" + table)]
        )
        guard case .text(let name) = rows.first?.first else {
            throw UnexpectedResult(subject: "the table \(table)", rows: rows)
        }
        return name
    }

    private func checkIntegrity(_ name: String) throws -> InvariantResult {
        var rows: [[WorkloadValue]] = []
        try target.perform(.read, as: Self.reader) { session in
            rows = try session.rows("PRAGMA integrity_check", [])
        }
        let lines = rows.compactMap { row in
            if case .text(let line) = row.first { line } else { nil }
        }
        return InvariantResult(
            name: name,
            passed: lines == ["ok"],
            detail: lines.prefix(5).joined(separator: "; ")
        )
    }

    private func checkSnapshots(_ name: String) -> InvariantResult {
        let tally = stability.read()
        guard tally.compared > 0 else {
            return InvariantResult(
                name: name,
                passed: nil,
                detail: target.supports(.snapshot)
                    ? "no snapshot was held until its end" : "this arm has no snapshots"
            )
        }
        guard tally.changed.isEmpty else {
            return InvariantResult(
                name: name,
                passed: false,
                detail: "\(tally.changed.count) of \(tally.compared) snapshots changed while they "
                    + "were held; taken by \(Set(tally.changed).sorted().joined(separator: ", "))"
            )
        }
        return InvariantResult(
            name: name,
            passed: true,
            detail: HumanUnits.counted(tally.compared, "snapshot") + ", read at start and end"
        )
    }
}

private struct UnexpectedResult: Error, CustomStringConvertible {
    var subject: String
    var rows: [[WorkloadValue]]

    var description: String { "the query for \(subject) returned \(rows)" }
}
