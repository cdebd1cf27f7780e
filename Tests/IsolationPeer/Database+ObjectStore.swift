import Isolation
import SQLiteEngine

extension Database: ObjectStore {
    package func run(_ sql: String, _ arguments: [StoredValue]) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments.statementArguments)
    }

    package func value(_ sql: String, _ arguments: [StoredValue]) throws -> StoredValue? {
        let row = try Row.fetchOne(
            cachedStatement(sql: sql),
            arguments: arguments.statementArguments
        )
        guard let row else { return nil }
        let value: DatabaseValue = row[0]
        return switch value.storage {
        case .int64(let integer): .integer(integer)
        case .string(let text): .text(text)
        case .null, .double, .blob: .other("\(value)")
        }
    }
}

extension [StoredValue] {
    fileprivate var statementArguments: StatementArguments {
        let values = map { value -> (any DatabaseValueConvertible)? in
            switch value {
            case .integer(let integer): integer
            case .text(let text), .other(let text): text
            }
        }
        return StatementArguments(values)
    }
}

extension ObjectTable {
    /// The table that the engine's tests use.
    package static let engineTests = ObjectTable(name: "isolation")
}
