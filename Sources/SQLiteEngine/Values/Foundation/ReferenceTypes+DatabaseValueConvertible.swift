import Foundation

// Foundation classes are stored like the corresponding Swift structures.

extension NSData: DatabaseValueConvertible {
    /// The value as a blob.
    public var databaseValue: DatabaseValue { (self as Data).databaseValue }

    /// Creates the value from a blob, or from the UTF-8 bytes of text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue) as? Self
    }
}

extension NSString: DatabaseValueConvertible {
    /// The value as text.
    public var databaseValue: DatabaseValue { (self as String).databaseValue }

    /// Creates the value from text, or from a blob that contains UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).map { self.init(string: $0) }
    }
}

extension NSNull: DatabaseValueConvertible {
    /// `NULL`.
    public var databaseValue: DatabaseValue { .null }

    /// Returns `nil`, because `NULL` is decoded as `nil`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension CGFloat: DatabaseValueConvertible {
    /// The value as a real.
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// Creates the value from a number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class instance.
    public var databaseValue: DatabaseValue { referenceDatabaseValue }

    /// Creates the value from a database value that the corresponding class decodes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue) as? Self
    }

    fileprivate var referenceDatabaseValue: DatabaseValue {
        guard let reference = self as? ReferenceType else {
            fatalError("\(Self.self) does not convert to \(ReferenceType.self)")
        }
        return reference.databaseValue
    }
}

extension DatabaseValueConvertible
where Self: Encodable & ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class instance.
    public var databaseValue: DatabaseValue { referenceDatabaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// Creates the value from a database value that the corresponding class decodes.
    public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(databaseValue) as? Self
    }
}
