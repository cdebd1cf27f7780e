import CSQLite
import Foundation
import SQLiteEngine
import Scenarios

extension WorkloadValue: DatabaseValueConvertible {
    /// The database value.
    public var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    /// Creates a value from any database value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> WorkloadValue? {
        switch dbValue.storage {
        case .null: .null
        case .int64(let value): .integer(value)
        case .double(let value): .real(value)
        case .string(let value): .text(value)
        case .blob(let data): .blob([UInt8](data))
        }
    }

    /// The value as text, without quotes.
    var plainText: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): value
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}

/// A row for counting, whose values are not read.
struct RowPresence: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { .null }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> RowPresence? { RowPresence() }

    init() {}

    init?(sqliteStatement: SQLiteStatement, index: CInt) {}

    static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> RowPresence? {
        RowPresence()
    }
}

/// A row with the values of all its columns.
struct WholeRow: DatabaseValueConvertible, StatementColumnConvertible {
    var values: [WorkloadValue]

    var databaseValue: DatabaseValue { values.first?.databaseValue ?? .null }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> WholeRow? {
        WorkloadValue.fromDatabaseValue(dbValue).map { WholeRow(values: [$0]) }
    }

    init(values: [WorkloadValue]) {
        self.values = values
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        values = (0..<sqlite3_column_count(sqliteStatement)).compactMap { column in
            let value = DatabaseValue(sqliteStatement: sqliteStatement, index: column)
            return WorkloadValue.fromDatabaseValue(value)
        }
    }

    static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> WholeRow? {
        // Return the row even if its first column is NULL.
        WholeRow(sqliteStatement: sqliteStatement, index: index)
    }
}
