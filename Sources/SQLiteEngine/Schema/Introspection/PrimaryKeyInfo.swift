/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable {
    /// The declared columns of the key in order, or `nil` if no key is declared.
    let columnInfos: [ColumnInfo]?

    /// Whether rows have a rowid.
    ///
    /// Only tables that are declared `WITHOUT ROWID` have none.
    let tableHasRowID: Bool

    /// The names of the columns, or `rowid` if no key is declared.
    public var columns: [String] { columnInfos?.map(\.name) ?? [Column.rowID.name] }

    /// The column that is an alias of the rowid (`INTEGER PRIMARY KEY`), or `nil` if there is none.
    ///
    /// See <https://sqlite.org/lang_createtable.html#rowid>.
    public let rowIDColumn: String?

    /// Whether the key is the rowid, under any name.
    public var isRowID: Bool { columnInfos == nil || rowIDColumn != nil }
}
