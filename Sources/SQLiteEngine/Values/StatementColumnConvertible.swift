import CSQLite

/// A type whose values come from a statement's column without a ``DatabaseValue`` in between.
public protocol StatementColumnConvertible {
    /// Reads a column, which may hold NULL; nil when the value cannot be converted.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The column, from 0, which exists.
    /// - Returns: The value.
    static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self?

    /// Reads a column that does not hold NULL; nil when the value cannot be converted.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The column, from 0, which exists.
    init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
    /// Reads a column; nil for NULL, and when the value cannot be converted.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
        return Self(sqliteStatement: sqliteStatement, index: index)
    }
}

extension StatementColumnConvertible
where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the raw value from a column; nil when it is none of this type's.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else {
            return nil
        }
        self.init(rawValue: rawValue)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads a column, with nil inside for NULL.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) {
            return .some(.some(value))
        }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? .some(.none) : .none
    }

    /// Reads a column that does not hold NULL.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else {
            return nil
        }
        self = .some(value)
    }
}
