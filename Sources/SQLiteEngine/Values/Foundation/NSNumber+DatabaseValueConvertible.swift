import Foundation

/// Numbers are stored as integers or reals. An `NSDecimalNumber` that is not an integer is stored
/// as a real.
extension NSNumber: DatabaseValueConvertible {
    /// The value as an integer or a real.
    ///
    /// It is a fatal error if an unsigned number exceeds `Int64.max`.
    public var databaseValue: DatabaseValue {
        if let decimal = self as? NSDecimalNumber {
            // A conversion through a real would lose the last digits of a large integer.
            let integer = Int64(exactly: decimal)
            return integer?.databaseValue ?? doubleValue.databaseValue
        }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            return doubleValue.databaseValue
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            guard let value = Int64(exactly: uint64Value) else {
                fatalError("\(uint64Value) does not fit in a 64-bit signed integer of the database")
            }
            return value.databaseValue
        default:
            return int64Value.databaseValue
        }
    }

    /// Creates a number from a numeric value, or from text with a decimal point.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let value) where !(self is NSDecimalNumber.Type):
            NSNumber(value: value) as? Self
        case .double(let value) where !(self is NSDecimalNumber.Type):
            NSNumber(value: value) as? Self
        default:
            Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
        }
    }
}

extension Int64 {
    /// Creates an integer from a decimal number, or returns `nil` if the number is not an integer
    /// in range.
    fileprivate init?(exactly number: NSDecimalNumber) {
        var value = number.decimalValue
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, 0, .plain)
        guard rounded == value, rounded >= Decimal(Int64.min), rounded <= Decimal(Int64.max),
            let integer = Int64(rounded.description)
        else { return nil }
        self = integer
    }
}
