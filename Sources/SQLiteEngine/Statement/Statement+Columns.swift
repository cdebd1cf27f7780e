import CSQLite

extension Statement {
    /// The columns of the result.
    ///
    /// SQLite prepares a statement anew when the schema has changed, and `SELECT *` then has other
    /// columns: the number of these events tells whether the names that were read still hold.
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

    /// The names of the result's columns.
    ///
    /// A change of the schema shows after the next execution's first step.
    public var columnNames: [String] { layout.names }

    /// The number of the result's columns; 0 for a statement without result.
    public var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// The leftmost column with a name, in whatever case; nil when there is none.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    /// The column of the result that an adapter puts first.
    @usableFromInline
    func firstColumn(_ adapter: (any RowAdapter)?) throws -> CInt {
        guard let adapter else { return 0 }
        let columns = try adapter.layout(from: layout)
        guard columns.count > 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the row adapter leaves no column",
                sql: sql
            )
        }
        return columns.source(of: 0)
    }
}
