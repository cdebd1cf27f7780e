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
