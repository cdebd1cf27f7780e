import CSQLite

/// The table properties that a record requires.
struct TableShape {
    /// The columns in order, including generated columns.
    let columns: [String]

    /// The columns of the primary key, or `rowid` if the table declares no key.
    ///
    /// The schema source provides the key of a view.
    let primaryKey: [String]

    /// The column that is an alias of the rowid (`INTEGER PRIMARY KEY`).
    let rowIDColumn: String?

    let isView: Bool
}

extension Database {
    /// Returns the shape of a table or a view, ignoring the case of the name.
    ///
    /// The shape is cached until the schema changes.
    ///
    /// - Throws: `SQLITE_ERROR` if no table or view has this name.
    func tableShape(_ name: String) throws -> TableShape {
        let key = name.lowercased()
        for database in try databaseNames() {
            let schema = try schema(of: database)
            if let shape = schema.shapes[key] { return shape }
            let isTable = schema.canonicalName(name, type: "table") != nil
            guard isTable || schema.canonicalName(name, type: "view") != nil else { continue }
            let shape = try withoutRecording {
                try fetchShape(of: name, in: database, isView: !isTable)
            }
            schemaCache.databases[database]?.shapes[key] = shape
            return shape
        }
        throw DatabaseError(message: "no such table: \(name)")
    }

    func fetchShape(
        of table: String,
        in database: String,
        isView: Bool
    ) throws -> TableShape {
        var columns: [String] = []
        var keys: [(position: Int, name: String, type: String)] = []
        let rows = try Row.fetchCursor(
            self,
            sql: "SELECT name, type, pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1",
            arguments: [table, database]
        )
        while let row = try rows.next() {
            columns.append(row[0])
            let position: Int = row[2]
            if position > 0 { keys.append((position, row[0], row[1])) }
        }
        keys.sort { $0.position < $1.position }
        var rowIDColumn: String?
        if keys.count == 1, keys[0].type.uppercased() == "INTEGER" {
            // The primary key of a table without rowids has a separate index, and so does an
            // `INTEGER PRIMARY KEY DESC`. See https://sqlite.org/lang_createtable.html#rowid.
            let indexCount =
                try Int.fetchOne(
                    self,
                    sql: "SELECT COUNT(*) FROM pragma_index_list(?, ?) WHERE origin = 'pk'",
                    arguments: [table, database]
                ) ?? 0
            if indexCount == 0 { rowIDColumn = keys[0].name }
        }
        var primaryKey = keys.map(\.name)
        if isView {
            primaryKey = try columnsForPrimaryKey(ofView: table, in: database)
        } else if keys.isEmpty {
            primaryKey = [Column.rowID.name]
        }
        return TableShape(
            columns: columns,
            primaryKey: primaryKey,
            rowIDColumn: rowIDColumn,
            isView: isView
        )
    }
}

extension String {
    /// The name in double quotes, as an SQL identifier.
    var quotedIdentifier: String {
        utf8.contains(0x22) ? "\"" + replacing("\"", with: "\"\"") + "\"" : "\"" + self + "\""
    }
}
