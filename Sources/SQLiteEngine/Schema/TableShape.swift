import CSQLite
import Telemetry

/// The table properties that a record requires.
struct TableShape {
    /// The columns in order, including generated columns.
    let columns: [String]

    /// The columns of the primary key, or `rowid` if the table declares no key.
    ///
    /// The schema source provides the key of a view.
    let primaryKey: [String]

    /// The column that is an alias for the rowid (`INTEGER PRIMARY KEY`).
    let rowIDColumn: String?

    let isView: Bool
}

extension Database {
    /// Returns the shape of a table or a view, ignoring the case of the name.
    ///
    /// The shape is cached until the schema changes. If `isForWrite` is set, a statement that writes
    /// follows; see ``schema(of:isForWrite:)``.
    ///
    /// - Throws: `SQLITE_ERROR` if no table or view has this name.
    func tableShape(_ name: String, isForWrite: Bool = false) throws -> TableShape {
        let key = name.identifierKey
        for database in try databaseNames() {
            let schema = try schema(of: database, isForWrite: isForWrite)
            if let shape = schema.shapes[key] { return shape }
            guard let object = try schemaObject(name, of: database, isForWrite: isForWrite) else {
                continue
            }
            let shape = try withoutRecording { try fetchShape(of: object) }
            schemaCache.databases[database]?.shapes[key] = shape
            return shape
        }
        throw DatabaseError(message: "no such table: \(name)")
    }

    func fetchShape(of table: SchemaObject) throws -> TableShape {
        let keys = try keyColumns(of: table)
        var rowIDColumn: String?
        if keys.count == 1, keys[0].type.uppercased() == "INTEGER" {
            // An `INTEGER PRIMARY KEY DESC` and the primary key of a table without rowids have a
            // separate index. See https://sqlite.org/lang_createtable.html#rowid.
            let indexCount =
                try Int.fetchOne(
                    self,
                    sql: "SELECT COUNT(*) FROM pragma_index_list(?, ?) WHERE origin = 'pk'",
                    arguments: [table.name, table.database]
                ) ?? 0
            if indexCount == 0 { rowIDColumn = keys[0].name }
        }
        var primaryKey = keys.map(\.name)
        if table.isView {
            primaryKey = try columnsForPrimaryKey(ofView: table.name, in: table.database)
        } else if keys.isEmpty {
            primaryKey = [Column.rowID.name]
        }
        return TableShape(
            columns: try columns(of: table).map(\.name),
            primaryKey: primaryKey,
            rowIDColumn: rowIDColumn,
            isView: table.isView
        )
    }
}

extension String {
    /// The name in double quotes, as an SQL identifier.
    var quotedIdentifier: String {
        utf8.contains(0x22) ? quoted(by: "\"") : "\"" + self + "\""
    }
}
