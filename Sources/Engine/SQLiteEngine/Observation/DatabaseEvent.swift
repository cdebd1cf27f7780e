import CSQLite

/// A change to one row.
///
/// An event is valid until the callback that receives it returns. To keep an event, use ``copy()``.
public struct DatabaseEvent {
    /// The kind of a change.
    ///
    /// The raw values are SQLite's `SQLITE_INSERT`, `SQLITE_DELETE`, and `SQLITE_UPDATE`.
    public enum Kind: CInt, Sendable {
        /// The row was inserted.
        case insert = 18
        /// The row was deleted.
        case delete = 9
        /// The row was updated.
        case update = 23
    }

    /// The kind of change.
    public let kind: Kind

    /// The rowid of the row after the change.
    public let rowID: Int64

    /// Whether the statement may also change rows that SQLite does not report: rows that `REPLACE`
    /// removes, and the previous rowids of rows whose rowids change.
    var mayChangeOtherRows = false

    /// The database name from SQLite, which is valid only during the callback.
    let databaseNameCString: UnsafePointer<CChar>?

    /// The table name from SQLite, which is valid only during the callback.
    let tableNameCString: UnsafePointer<CChar>?

    /// The names in a copy of an event, or `nil` if the event is not a copy.
    var copiedNames: (database: String, table: String)?

    /// The name of the database: `main`, `temp`, or the name of an attached database.
    public var databaseName: String {
        copiedNames?.database ?? databaseNameCString.map { String(cString: $0) } ?? ""
    }

    /// The name of the table.
    public var tableName: String {
        copiedNames?.table ?? tableNameCString.map { String(cString: $0) } ?? ""
    }

    /// Returns a copy of the event that remains valid after the callback returns.
    public func copy() -> DatabaseEvent {
        var copy = self
        copy.copiedNames = (databaseName, tableName)
        return copy
    }
}

@available(*, unavailable)
extension DatabaseEvent: Sendable {}

/// A kind of change that a statement may make, as determined before the statement runs.
@frozen
public enum DatabaseEventKind: Hashable, Sendable {
    /// Rows are inserted.
    case insert(tableName: String)
    /// Rows are deleted.
    case delete(tableName: String)
    /// Rows are updated in the given columns.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the table that changes.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }

    var modifiedRegion: DatabaseRegion {
        guard case .update(_, let names) = self else { return DatabaseRegion(table: tableName) }
        return DatabaseRegion(table: tableName, columns: names)
    }

    var isDelete: Bool {
        if case .delete = self { true } else { false }
    }

    func matches(_ event: DatabaseEvent) -> Bool {
        switch (self, event.kind) {
        case (.insert, .insert), (.delete, .delete), (.update, .update):
            event.tableName == tableName
        default: false
        }
    }
}
