import SQLText
import Scenarios

/// The tables that a statement refers to, and their aliases.
///
/// Subqueries and the enclosing statement share one list of aliases.
package struct StatementTables {
    private var tables: [(alias: String, table: CaptureSchema.Table)] = []
    /// All aliases in lowercase, including aliases of columns and of common table expressions.
    private(set) var aliases: Set<String> = []
    /// The table that follows INTO, or `nil` if the schema does not contain it.
    private(set) var insertTarget: CaptureSchema.Table?
    /// The columns that an INSERT specifies, or `nil` if it specifies none.
    private(set) var insertedColumns: [String]?
    /// The name of the first table in the statement.
    private(set) var firstTable: String?
    /// The tables that the schema does not contain.
    private(set) var missing: [String] = []

    package init(_ tokens: [SQLToken], _ schema: CaptureSchema) {
        var index = 0
        var isInFrom = false
        var expressions: Set<String> = []
        while index < tokens.count {
            let word = tokens[index].keyword
            let previous = index > 0 ? tokens[index - 1].keyword : ""
            switch word {
            case "UPDATE" where previous == "DO", "FROM" where previous == "DISTINCT":
                // ON CONFLICT DO UPDATE and IS DISTINCT FROM are not followed by a table.
                break
            case "FROM", "JOIN", "INTO", "UPDATE":
                isInFrom = word == "FROM"
                index = read(tokens, after: index, schema: schema, isInsert: word == "INTO")
            case "WHERE", "SET", "VALUES", "SELECT", "GROUP", "ORDER", "LIMIT", "ON", "RETURNING":
                isInFrom = false
            case "AS":
                if index + 1 < tokens.count { aliases.insert(tokens[index + 1].name.lowercased()) }
            default:
                if isInFrom, tokens[index].text == "," {
                    index = read(tokens, after: index, schema: schema, isInsert: false)
                }
            }
            index += 1
        }
        if tokens.first?.keyword == "WITH" {
            // WITH and RECURSIVE precede the name of the first common table expression.
            for (index, token) in tokens.enumerated().dropFirst()
            where ["WITH", "RECURSIVE"].contains(tokens[index - 1].keyword) {
                aliases.insert(token.name.lowercased())
            }
            // A name before `AS (` is also the name of a common table expression.
            for (index, token) in tokens.enumerated().dropFirst(2)
            where token.text == "(" && tokens[index - 1].keyword == "AS" {
                var name = index - 2
                if tokens[name].text == ")" {
                    while name > 0, tokens[name].text != "(" { name -= 1 }
                    name -= 1
                }
                if name >= 0 { expressions.insert(tokens[name].name.lowercased()) }
            }
            missing.removeAll { expressions.contains($0.lowercased()) }
        }
    }

    private static let nonAliases: Set = [
        "WHERE", "SET", "VALUES", "SELECT", "GROUP", "ORDER", "LIMIT", "ON", "USING", "JOIN",
        "LEFT", "INNER", "CROSS", "NATURAL", "RIGHT", "FULL", "OUTER", "INDEXED", "NOT", "DEFAULT",
        "RETURNING", "UNION", "EXCEPT", "INTERSECT", "HAVING", "WINDOW",
    ]

    /// Reads `schema.table AS alias` after a keyword and returns the index of its last token.
    private mutating func read(
        _ tokens: [SQLToken],
        after keyword: Int,
        schema: CaptureSchema,
        isInsert: Bool
    ) -> Int {
        var index = keyword + 1
        // Skip `OR IGNORE` in `UPDATE OR IGNORE t`.
        if index + 1 < tokens.count, tokens[index].keyword == "OR" { index += 2 }
        guard index < tokens.count, tokens[index].isName else {
            return keyword
        }
        if index + 2 < tokens.count, tokens[index + 1].text == "." { index += 2 }
        let name = tokens[index].name
        firstTable = firstTable ?? name
        var alias = name
        var next = index + 1
        if next < tokens.count, tokens[next].keyword == "AS" { next += 1 }
        if next < tokens.count, tokens[next].isName,
            !Self.nonAliases.contains(tokens[next].keyword)
        {
            alias = tokens[next].name
            index = next
        }
        aliases.formUnion([name.lowercased(), alias.lowercased()])
        if let table = schema.table(name) {
            tables.append((alias.lowercased(), table))
            if isInsert { insertTarget = table }
        } else if !name.lowercased().hasPrefix("sqlite_"),
            isInsert || index + 1 >= tokens.count || tokens[index + 1].text != "("
        {
            // A name before a parenthesis is a table-valued function.
            missing.append(name)
        }
        if isInsert { readInsertedColumns(tokens, at: index + 1) }
        return index
    }

    private mutating func readInsertedColumns(_ tokens: [SQLToken], at open: Int) {
        guard open < tokens.count, tokens[open].text == "(" else { return }
        insertedColumns = tokens[(open + 1)...].prefix { $0.text != ")" }
            .filter { $0.text != "," }.map(\.name)
    }

    /// Returns the table with the given alias, ignoring case.
    package func table(alias: String) -> CaptureSchema.Table? {
        let alias = alias.lowercased()
        return tables.first { $0.alias == alias || $0.table.name.lowercased() == alias }?.table
    }

    /// Returns the column with the given name, or `nil` if no table of the statement has such a
    /// column.
    package func column(_ name: String, of qualifier: String?) -> Variable.Column? {
        reference(name, of: qualifier)?.column
    }

    /// Returns the column with the given name and the alias of its table, or `nil` if no table of the
    /// statement has such a column.
    func reference(
        _ name: String,
        of qualifier: String?
    ) -> (alias: String, column: Variable.Column)? {
        let candidates = tables.filter { table in
            guard let qualifier = qualifier?.lowercased() else { return true }
            return table.alias == qualifier || table.table.name.lowercased() == qualifier
        }
        for (alias, table) in candidates {
            if let column = table.column(name) {
                return (alias, Variable.Column(table: table.name, name: column.name))
            }
        }
        return nil
    }
}

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
