import SQLText

/// The statements that programs are likely to execute on a table.
package struct TableStatements {
    /// A statement with `?` parameters.
    package struct Statement: Equatable {
        package var name: String
        package var sql: String
        /// The text of a trial, with a random row's value in place of each parameter.
        package var trial: String
        /// A comment for the scenario.
        package var comment: String
    }

    package private(set) var reads: [Statement] = []
    /// An update of one row, or `nil` if the table cannot be updated.
    package private(set) var write: Statement?

    private let table: DraftTable

    /// The maximum number of indexes for which to generate reads, per table.
    private static let indexLimit = 3
    /// The maximum number of rows that a read returns.
    private static let listLength = 50

    package init(_ table: DraftTable) {
        self.table = table
        if case .fullText(let ownsContent) = table.kind {
            addSearch()
            if ownsContent { write = update }
            return
        }
        addKeyRead()
        addIndexReads()
        write = update
    }

    package mutating func removeWrite() { write = nil }

    private var name: String { VariableRegistry.identifier(table.name) }
    private var quotedTable: String { Self.quoted(table.name) }
    private var key: [String] {
        table.columns.filter { $0.primaryKeyIndex > 0 }.sorted {
            $0.primaryKeyIndex < $1.primaryKeyIndex
        }.map(\.name)
    }

    /// The column that identifies a row, or `nil` for a `WITHOUT ROWID` table with a multicolumn
    /// key.
    private var rowKey: String? {
        if key.count == 1 { return key[0] }
        return table.kind == .withoutRowID ? nil : "rowid"
    }

    private mutating func addKeyRead() {
        let column = key.first ?? "rowid"
        let identifiesRow = key.count <= 1
        let limit = identifiesRow ? "" : " LIMIT \(Self.listLength)"
        reads.append(
            statement(
                "\(name)-by-key",
                sql: "SELECT * FROM \(quotedTable) WHERE \(Self.quoted(column)) = ?\(limit)",
                from: [column],
                comment: identifiesRow
                    ? "One row by its key." : "Rows by the first column of the primary key."
            )
        )
    }

    private mutating func addIndexReads() {
        var usedColumns: Set<String> = key.first.map { [$0] } ?? []
        for index in table.indexes where !index.isPartial {
            guard let column = index.columns.first ?? nil, usedColumns.insert(column).inserted
            else {
                continue
            }
            guard reads.count <= Self.indexLimit else { return }
            reads.append(
                statement(
                    "\(name)-by-\(VariableRegistry.identifier(column))",
                    sql: "SELECT * FROM \(quotedTable) WHERE \(Self.quoted(column)) = ? "
                        + "LIMIT \(Self.listLength)",
                    from: [column],
                    comment: "Rows by an indexed column."
                )
            )
        }
    }

    private mutating func addSearch() {
        reads.append(
            Statement(
                name: "\(name)-search",
                sql:
                    "SELECT rowid FROM \(quotedTable) WHERE \(quotedTable) MATCH ? LIMIT \(Self.listLength)",
                trial: "SELECT rowid FROM \(quotedTable) LIMIT 1",
                comment: "A search for a word of the full-text index."
            )
        )
    }

    /// An update of one row that is unlikely to violate constraints.
    ///
    /// The update sets a column to another value from the same column. If possible, the column is
    /// not part of a key, an index, or a reference.
    private var update: Statement? {
        let unique = Set(table.indexes.filter(\.isUnique).flatMap(\.columns).compactMap { $0 })
        let indexed = Set(table.indexes.flatMap(\.columns).compactMap { $0 })
        let settable = table.columns.filter {
            $0.primaryKeyIndex == 0 && $0.isWritable && !unique.contains($0.name)
        }
        let preferred =
            settable.first { !table.references.contains($0.name) && !indexed.contains($0.name) }
            ?? settable.first { !table.references.contains($0.name) } ?? settable.first
        guard let column = preferred?.name else {
            guard let column = key.first, let rowKey else { return nil }
            return statement(
                "update-\(name)",
                sql: "UPDATE \(quotedTable) SET \(Self.quoted(column)) = \(Self.quoted(column)) "
                    + "WHERE \(Self.quoted(rowKey)) = ?",
                from: [rowKey],
                comment: "One row, written unchanged: all columns are keys."
            )
        }
        let set = "UPDATE \(quotedTable) SET \(Self.quoted(column)) = ? WHERE "
        if let rowKey {
            return statement(
                "update-\(name)",
                sql: set + "\(Self.quoted(rowKey)) = ?",
                from: [column, rowKey],
                comment: "One row by its key."
            )
        }
        let columns = key.map(Self.quoted).joined(separator: ", ")
        return statement(
            "update-\(name)",
            sql: set + "(\(columns)) = (SELECT \(columns) FROM \(quotedTable) WHERE "
                + "\(Self.quoted(key[0])) = ? LIMIT 1)",
            from: [column, key[0]],
            comment: "One row by the first column of its key."
        )
    }

    /// Returns a statement with parameters that take their values from `columns`, in order.
    private func statement(
        _ name: String,
        sql: String,
        from columns: [String],
        comment: String
    ) -> Statement {
        var trial = ""
        var values = columns[...]
        var isName = false
        for scalar in sql.unicodeScalars {
            if scalar == "\"" { isName.toggle() }
            // A question mark in a quoted name is not a parameter.
            guard scalar == "?", !isName, let column = values.popFirst() else {
                trial.unicodeScalars.append(scalar)
                continue
            }
            trial += "(SELECT \(Self.quoted(column)) FROM \(quotedTable) ORDER BY random() LIMIT 1)"
        }
        return Statement(name: name, sql: sql, trial: trial, comment: comment)
    }

    /// Returns a name as an SQL identifier, quoted if necessary.
    package static func quoted(_ name: String) -> String { SQLIdentifier.text(name) }
}

/// The properties of a table that a draft needs to generate statements.
package struct DraftTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package var name: String
        /// The position in the primary key, starting at 1, or 0 for a column that is not in the
        /// key.
        package var primaryKeyIndex: Int
        /// Whether a statement can set the column.
        ///
        /// Generated and hidden columns cannot be set.
        package var isWritable: Bool

        package init(name: String, primaryKeyIndex: Int = 0, isWritable: Bool = true) {
            self.name = name
            self.primaryKeyIndex = primaryKeyIndex
            self.isWritable = isWritable
        }
    }

    package struct Index: Sendable, Equatable {
        /// The columns in order, with `nil` for expressions.
        package var columns: [String?]
        package var isUnique: Bool
        /// Whether the index contains only some of the rows.
        package var isPartial: Bool

        package init(columns: [String?], isUnique: Bool = false, isPartial: Bool = false) {
            self.columns = columns
            self.isUnique = isUnique
            self.isPartial = isPartial
        }
    }

    package enum Kind: Sendable, Equatable {
        /// A table with rowids.
        case plain
        case withoutRowID
        /// A full-text index, which stores the text itself if `ownsContent` is `true`.
        case fullText(ownsContent: Bool)
    }

    package var name: String
    package var kind: Kind
    /// The number of rows.
    package var rows: Int
    package var columns: [Column]
    package var indexes: [Index]
    /// The columns that refer to other tables.
    package var references: Set<String>

    package init(
        name: String,
        kind: Kind = .plain,
        rows: Int,
        columns: [Column],
        indexes: [Index] = [],
        references: Set<String> = []
    ) {
        self.name = name
        self.kind = kind
        self.rows = rows
        self.columns = columns
        self.indexes = indexes
        self.references = references
    }
}
