import Isolation

/// A target's connection, for transactions that check isolation.
struct IsolationStore: ObjectStore {
    private let session: any WorkloadSession

    init(_ session: any WorkloadSession) { self.session = session }

    func run(_ sql: String, _ arguments: [StoredValue]) throws {
        try session.run(sql, arguments.map(\.workloadValue))
    }

    func value(_ sql: String, _ arguments: [StoredValue]) throws -> StoredValue? {
        guard let value = try session.rows(sql, arguments.map(\.workloadValue)).first?.first
        else { return nil }
        return switch value {
        case .integer(let integer): .integer(integer)
        case .text(let text): .text(text)
        case .null, .real, .blob: .other("\(value)")
        }
    }
}

extension StoredValue {
    fileprivate var workloadValue: WorkloadValue {
        switch self {
        case .integer(let integer): .integer(integer)
        case .text(let text), .other(let text): .text(text)
        }
    }
}

extension ObjectTable {
    /// The isolation invariant's table in the database under load.
    static let invariant = ObjectTable(name: "poolgauge_isolation")
}
