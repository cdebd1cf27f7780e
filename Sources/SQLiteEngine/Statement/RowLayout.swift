import CSQLite

/// The names of a row's columns, shared by all rows of one execution.
final class RowLayout: Sendable {
    /// The names, from left to right.
    let names: [String]

    /// The leftmost column of each name, in lower case.
    let indexes: [String: Int]

    init(names: [String]) {
        self.names = names
        var indexes: [String: Int] = [:]
        for (index, name) in names.enumerated() {
            let key = name.lowercased()
            if indexes[key] == nil { indexes[key] = index }
        }
        self.indexes = indexes
    }

    /// The leftmost column with a name, in whatever case.
    func index(ofColumn name: String) -> Int? {
        indexes[name] ?? indexes[name.lowercased()]
    }
}

extension Statement {
    /// The columns of the result.
    ///
    /// SQLite prepares a statement anew when the schema has changed, and `SELECT *` then has other
    /// columns: the number of these events tells whether the names that were read still hold.
    var layout: RowLayout {
        let version = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let columns, columnsVersion == version { return columns }
        let layout = RowLayout(
            names: (0..<sqlite3_column_count(sqliteStatement)).map {
                sqlite3_column_name(sqliteStatement, $0).map { String(cString: $0) } ?? ""
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
    public var columnCount: Int { Int(sqlite3_column_count(sqliteStatement)) }

    /// The leftmost column with a name, in whatever case; nil when there is none.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }
}
