import WorkloadEngine

package struct CaptureSchema: Sendable, Equatable {
    package struct Table: Sendable, Equatable {
        /// The table's name, as written in the schema.
        package var name: String
        package var columns: [Column]

        package init(name: String, columns: [Column]) {
            self.name = name
            self.columns = columns
        }
    }

    package struct Column: Sendable, Equatable {
        /// The column's name, as written in the schema.
        package var name: String
        /// The declared type, or an empty string if the column has none.
        package var type: String
        /// Whether the column is an alias of the rowid (`INTEGER PRIMARY KEY`).
        package var isRowID: Bool
        /// Whether the column's values are unique or the column is the last column of a key.
        package var isUnique: Bool
        /// Whether the column refers to another table.
        package var isForeignKey: Bool
        /// The smallest and largest integers in the column, or `nil` if there are no integers.
        package var range: ClosedRange<Int64>?
        /// The number of distinct values, or `nil` if unknown.
        package var distinctCount: Int?

        package init(
            name: String,
            type: String = "",
            isRowID: Bool = false,
            isUnique: Bool = false,
            isForeignKey: Bool = false,
            range: ClosedRange<Int64>? = nil,
            distinctCount: Int? = nil
        ) {
            self.name = name
            self.type = type
            self.isRowID = isRowID
            self.isUnique = isUnique
            self.isForeignKey = isForeignKey
            self.range = range
            self.distinctCount = distinctCount
        }

        /// Whether the column's values are integers, according to the declared type
        /// (<https://sqlite.org/datatype3.html#determination_of_column_affinity>).
        var isInteger: Bool { isRowID || type.uppercased().contains("INT") }
    }

    private let tables: [String: Table]
    private let columnNames: Set<String>

    package init(_ tables: [Table]) {
        self.tables = Dictionary(
            tables.map { ($0.name.lowercased(), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        columnNames = Set(tables.flatMap { $0.columns.map { $0.name.lowercased() } })
    }

    /// Returns the table with the given name, ignoring case.
    package func table(_ name: String) -> Table? { tables[name.lowercased()] }

    /// Returns the column that a variable refers to.
    func column(_ column: Variable.Column) -> Column? {
        table(column.table)?.column(column.name)
    }

    func containsName(_ name: String) -> Bool {
        let name = name.lowercased()
        return tables[name] != nil || columnNames.contains(name) || Table.rowIDNames.contains(name)
    }

    package var tableNames: [String] { tables.values.map(\.name).sorted() }
}

extension CaptureSchema.Table {
    static let rowIDNames: Set = ["rowid", "oid", "_rowid_"]

    /// Returns the column with the given name, ignoring case.
    package func column(_ name: String) -> CaptureSchema.Column? {
        let name = name.lowercased()
        if let column = columns.first(where: { $0.name.lowercased() == name }) { return column }
        guard Self.rowIDNames.contains(name) else { return nil }
        return columns.first(where: \.isRowID)
            ?? CaptureSchema.Column(name: "rowid", type: "INTEGER", isRowID: true, isUnique: true)
    }
}
