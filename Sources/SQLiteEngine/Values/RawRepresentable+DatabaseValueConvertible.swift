/// Enumerations and wrappers are stored as their raw values.
extension DatabaseValueConvertible
where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// Creates a value from a raw value, or returns `nil` if the raw value is not valid for this
    /// type.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}
