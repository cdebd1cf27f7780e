/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable {
    /// The columns that are declared as the key, in its order; nil when none is.
    let columnInfos: [ColumnInfo]?

    /// Whether rows have a rowid: all tables do but those `WITHOUT ROWID`.
    let tableHasRowID: Bool

    /// The names of the columns; `rowid` when none is declared.
    public var columns: [String] { columnInfos?.map(\.name) ?? [Column.rowID.name] }

    /// The column that is another name of the rowid (`INTEGER PRIMARY KEY`); nil when there is
    /// none.
    ///
    /// See <https://sqlite.org/lang_createtable.html#rowid>.
    public let rowIDColumn: String?

    /// Whether the key is the rowid, under whichever name.
    public var isRowID: Bool { columnInfos == nil || rowIDColumn != nil }
}
