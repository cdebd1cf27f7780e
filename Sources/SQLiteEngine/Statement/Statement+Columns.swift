import CSQLite

extension Statement {
    /// The columns of the result.
    ///
    /// SQLite reprepares a statement after a schema change, which can change the columns of `SELECT
    /// *`. The number of repreparations shows whether the cached names are still valid.
    var layout: RowLayout {
        let version = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let columns, columnsVersion == version { return columns }
        let layout = RowLayout(
            names: (0..<sqlite3_column_count(pointer)).map {
                sqlite3_column_name(pointer, $0).map { String(cString: $0) } ?? ""
            }
        )
        columns = layout
        columnsVersion = version
        return layout
    }

    /// The names of the result columns.
    ///
    /// After a schema change, the first step of the next execution updates the names.
    public var columnNames: [String] { layout.names }

    /// The number of result columns, or 0 if the statement returns no rows.
    public var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// Returns the index of the leftmost column with the given name, ignoring case, or `nil` if
    /// there is none.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    /// Returns the index of the result column that an adapter maps to the first column.
    @usableFromInline
    func firstColumn(_ adapter: (any RowAdapter)?) throws -> CInt {
        guard let adapter else { return 0 }
        let columns = try adapter.layout(from: layout)
        guard columns.count > 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the row adapter removes all columns",
                sql: sql
            )
        }
        return columns.source(of: 0)
    }
}
