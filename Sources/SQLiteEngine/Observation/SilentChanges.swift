/// The changes of a statement that SQLite's update hook does not report.
///
/// The hook reports the rowid of a changed row after the change only, and does not report the rows
/// that `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html).
struct SilentChanges {
    /// Whether the statement, its triggers, or the conflict clauses of tables may replace rows.
    var mayReplace = false

    /// The tables whose rowids the statement may change, in lowercase.
    var tablesWithNewRowIDs: Set<String> = []

    /// Returns whether silent changes in the same table may accompany a change.
    @inline(__always)
    func mayAccompany(_ kind: DatabaseEvent.Kind, _ table: UnsafePointer<CChar>?) -> Bool {
        guard kind != .delete else { return false }
        if mayReplace { return true }
        guard !tablesWithNewRowIDs.isEmpty, kind == .update, let table else { return false }
        return tablesWithNewRowIDs.contains(String(cString: table).identifierKey)
    }
}

extension Database {
    /// Returns the changes that a statement may make and that SQLite does not report.
    ///
    /// - Throws: A ``DatabaseError`` if the schema cannot be read.
    func silentChanges(
        of statement: Statement,
        _ kinds: [DatabaseEventKind]
    ) throws -> SilentChanges {
        var changes = SilentChanges()
        // A name or a literal that contains the word only causes additional notifications.
        changes.mayReplace = try statement.containsReplace || schemaContainsReplace()
        for case .update(let table, let columns) in kinds {
            let alias = try rowIDColumn(ofTable: table)
            let changesRowID = columns.contains { column in
                column.isSameIdentifier(as: Column.rowID.name)
                    || alias?.isSameIdentifier(as: column) == true
            }
            if changesRowID { changes.tablesWithNewRowIDs.insert(table.identifierKey) }
        }
        return changes
    }

    /// Returns the kinds of changes of a statement that may replace rows.
    ///
    /// An update of any column can remove another row, and with it the values of all its columns.
    func withAllColumns(_ kinds: [DatabaseEventKind]) throws -> [DatabaseEventKind] {
        try kinds.map { kind in
            guard case .update(let table, let columns) = kind else { return kind }
            return .update(
                tableName: table,
                columnNames: columns.union(try columnNames(in: table, isForWrite: true))
            )
        }
    }

    /// Returns the column that is an alias for the rowid, or `nil` if there is none or the table
    /// does not exist.
    func rowIDColumn(ofTable table: String) throws -> String? {
        do {
            return try tableShape(table, isForWrite: true).rowIDColumn
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_ERROR {
            return nil
        }
    }

    /// Returns whether a conflict clause of a table, or a statement of a trigger, may replace rows.
    private func schemaContainsReplace() throws -> Bool {
        try databaseNames().contains { try schema(of: $0, isForWrite: true).containsReplace }
    }
}
