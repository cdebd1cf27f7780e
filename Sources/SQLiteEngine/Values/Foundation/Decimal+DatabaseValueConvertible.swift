import CSQLite
import Foundation

/// Decimals are stored as text, which preserves all digits. Columns can also contain numbers.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// The digits as text, with a decimal point.
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// Creates a decimal from a number, or from text with a decimal point.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value): Decimal(value)
        case .double(let value): Decimal(value)
        case .string(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        default: nil
        }
    }

    /// Creates a decimal from a column that contains a number or text.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let decimal = Decimal.fromDatabaseValue(value) else { return nil }
        self = decimal
    }
}
