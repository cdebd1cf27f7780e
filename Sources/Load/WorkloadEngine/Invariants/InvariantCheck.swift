import Scenarios
import Telemetry
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
                let name = try tableName(table, session: session)
                let rows = try session.rows(
                    "SELECT coalesce(sum(\(column)), 0) FROM \(name)",
                    []
                )
                guard case .integer(let sum) = rows.first?.first else {
                    throw UnexpectedResult(subject: "the sum of \(name).\(column)", rows: rows)
                }
                sums.append((table, String(sum)))
            }
        }
        let text = sums.map { "\($0.table) \($0.sum)" }.joined(separator: ", ")
        return InvariantResult(name: name, passed: Set(sums.map(\.sum)).count == 1, detail: text)
    }

    private func tableName(_ table: String, session: any WorkloadSession) throws -> String {
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

/// A log that counts the snapshots whose state was compared, and records which snapshots changed.
final class StabilityLog: Sendable {
    struct Tally: Sendable {
        /// The number of snapshots that were read at their start and end.
        var compared = 0
        /// The name of the client of each snapshot that changed.
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

    /// Records whether a client's snapshot had the same state at its start and end.
    func record(by client: String, isStable: Bool) {
        tally.withLock { tally in
            tally.compared += 1
            if !isStable { tally.changed.append(client) }
        }
    }

    func read() -> Tally {
        tally.withLock { $0 }
    }
}

extension InvariantCheck {
    func check(_ invariant: DataInvariant) -> InvariantResult {
        var row: [WorkloadValue]?
        do {
            try target.perform(.read, as: WorkloadClientName("invariants")) { session in
                row = try session.rows(invariant.sql, []).first
            }
        } catch {
            return InvariantResult(
                name: invariant.name,
                passed: false,
                detail: "could not be checked: \(error)"
            )
        }
        guard let row, !row.isEmpty else {
            let detail = "no rows from '\(invariant.sql)'"
            return InvariantResult(name: invariant.name, passed: false, detail: detail)
        }
        let values = row.map(Self.text).joined(separator: ", ")
        return InvariantResult(
            name: invariant.name,
            passed: row.allSatisfy(\.isTrue),
            detail: "\(values) from '\(invariant.sql)'"
        )
    }

    private static func text(_ value: WorkloadValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): String(integer)
        case .real(let real): String(real)
        case .text(let text): "'\(text)'"
        case .blob(let bytes): "a blob of \(bytes.count) bytes"
        }
    }
}

extension WorkloadValue {
    /// Whether a value is any text, any blob, or any number other than 0.
    fileprivate var isTrue: Bool {
        switch self {
        case .null: false
        case .integer(let integer): integer != 0
        case .real(let real): real != 0
        case .text, .blob: true
        }
    }
}
