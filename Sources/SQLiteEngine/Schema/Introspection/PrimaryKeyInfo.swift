/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable {
    /// The declared columns of the key, in order; nil if no key is declared.
    let columnInfos: [ColumnInfo]?

    /// Whether rows have a rowid; only tables declared `WITHOUT ROWID` have none.
    let tableHasRowID: Bool

    /// The names of the columns; `rowid` if no key is declared.
    public var columns: [String] { columnInfos?.map(\.name) ?? [Column.rowID.name] }

    /// The column that is an alias of the rowid (`INTEGER PRIMARY KEY`); nil if there is none.
    ///
    /// See <https://sqlite.org/lang_createtable.html#rowid>.
    public let rowIDColumn: String?

    /// Whether the key is the rowid, under any name.
    public var isRowID: Bool { columnInfos == nil || rowIDColumn != nil }
}
