/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable {
    /// The declared columns of the key in order, or `nil` if the table declares no key.
    let columnInfos: [ColumnInfo]?

    /// Whether the table has rowids.
    ///
    /// Only tables declared `WITHOUT ROWID` have no rowids.
    let tableHasRowID: Bool

    /// The names of the columns, or `rowid` if the table declares no key.
    public var columns: [String] { columnInfos?.map(\.name) ?? [Column.rowID.name] }

    /// The column that is an alias for the rowid (`INTEGER PRIMARY KEY`), or `nil` if there is
    /// none.
    ///
    /// See <https://sqlite.org/lang_createtable.html#rowid>.
    public let rowIDColumn: String?

    /// Whether the key is the rowid or an alias for it.
    public var isRowID: Bool { columnInfos == nil || rowIDColumn != nil }
}
