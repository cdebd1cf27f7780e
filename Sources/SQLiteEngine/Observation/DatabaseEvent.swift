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

    private enum Names {
        case borrowed(database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?)
        case copied(database: String, table: String)
    }

    /// The kind of change.
    public let kind: Kind

    /// The rowid of the row after the change.
    public let rowID: Int64

    private let names: Names

    init(
        kind: Kind,
        rowID: Int64,
        databaseNameCString: UnsafePointer<CChar>?,
        tableNameCString: UnsafePointer<CChar>?
    ) {
        self.kind = kind
        self.rowID = rowID
        names = .borrowed(database: databaseNameCString, table: tableNameCString)
    }

    private init(kind: Kind, rowID: Int64, names: Names) {
        self.kind = kind
        self.rowID = rowID
        self.names = names
    }

    /// The name of the database: `main`, `temp`, or the name of an attached database.
    public var databaseName: String {
        switch names {
        case .borrowed(let name, _): name.map { String(cString: $0) } ?? ""
        case .copied(let name, _): name
        }
    }

    /// The name of the table.
    public var tableName: String {
        switch names {
        case .borrowed(_, let name): name.map { String(cString: $0) } ?? ""
        case .copied(_, let name): name
        }
    }

    /// Returns a copy of the event that remains valid after the callback returns.
    public func copy() -> DatabaseEvent {
        guard case .borrowed = names else { return self }
        return DatabaseEvent(
            kind: kind,
            rowID: rowID,
            names: .copied(database: databaseName, table: tableName)
        )
    }
}

@available(*, unavailable)
extension DatabaseEvent: Sendable {}
