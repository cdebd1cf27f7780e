import CSQLite

/// A value that can be bound to a parameter of a statement.
public protocol StatementBinding {
    /// Binds the value to a parameter.
    ///
    /// SQLite copies the bytes that it needs, so the value need not outlive the call.
    ///
    /// - Parameters:
    ///   - sqliteStatement: The statement.
    ///   - index: The index of the parameter, starting at 1.
    /// - Returns: An SQLite result code.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the raw value to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the value, or `NULL`, to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .none: sqlite3_bind_null(sqliteStatement, index)
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        }
    }
}
