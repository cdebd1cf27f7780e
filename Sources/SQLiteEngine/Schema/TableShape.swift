import CSQLite

/// What a record needs to know of its table.
struct TableShape {
    /// The columns in their order, those included that are computed from others.
    let columns: [String]

    /// The columns of the primary key; `rowid` where none is declared.
    ///
    /// A view has those that the schema source names.
    let primaryKey: [String]

    /// The column that is another name of the rowid (`INTEGER PRIMARY KEY`).
    let rowIDColumn: String?

    /// Whether it is a view.
    let isView: Bool
}

extension Database {
    /// The shape of a table or a view.
    ///
    /// - Parameter name: The name; case does not matter.
    /// - Returns: The shape, which is kept until the schema changes.
    /// - Throws: `SQLITE_ERROR` when there is neither a table nor a view of this name.
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
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such table: \(name)")
    }

    /// Asks SQLite for the shape of a table or a view in one database.
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
            // The key of a table without rowids, and `INTEGER PRIMARY KEY DESC`, have an index of
            // their own: https://sqlite.org/lang_createtable.html#rowid
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
    /// The name in double quotes, as SQL wants it.
    var quotedIdentifier: String {
        utf8.contains(0x22) ? "\"" + replacing("\"", with: "\"\"") + "\"" : "\"" + self + "\""
    }
}
