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
