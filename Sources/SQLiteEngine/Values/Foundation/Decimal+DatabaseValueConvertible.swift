import CSQLite
import Foundation

/// Decimals are stored as text, which preserves all digits. Columns can also contain numbers.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// The digits as text, with a decimal point.
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// Creates a decimal from a number, or from text with a decimal point.
    ///
    /// The result is `nil` if a decimal cannot represent the number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value): Decimal(value)
        case .double(let value): Decimal(inRange: value)
        case .string(let text):
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
                .flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// Creates a decimal from a real, or returns `nil` if a decimal cannot represent its magnitude.
    ///
    /// Foundation's conversion stops the program for infinity, and returns NaN or 0 for other
    /// values out of range.
    private init?(inRange value: Double) {
        guard value.isFinite else { return nil }
        let decimal = Decimal(value)
        guard decimal.isFinite, decimal.isZero == (value == 0) else { return nil }
        self = decimal
    }

    /// Creates a decimal from a column that contains a number or text.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let decimal = Decimal.fromDatabaseValue(value) else { return nil }
        self = decimal
    }
}
