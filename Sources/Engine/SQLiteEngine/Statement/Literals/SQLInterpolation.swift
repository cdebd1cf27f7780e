/// The interpolations that ``SQL`` and ``SQLRequest`` accept.
///
/// | Interpolation | Result |
/// |---|---|
/// | `\(value)` | a parameter with this value, or with `NULL` for `nil` |
/// | `\([1, 2, 3])` | `(?,?,?)`; `(SELECT NULL WHERE NULL)` for an empty sequence |
/// | `\(Column("name"))`, `\(CodingKeys.name)` | `"name"` |
/// | `\(Player.self)`, `\(tableOf: player)` | `"player"` |
/// | `\(columnsOf: Player.self)` | the table's selection, with qualified column names |
/// | `\(identifier: name)` | the name in double quotes |
/// | `\(other)`, `\(literal: other)` | another literal |
/// | `\(request)` | the SQL of a request, without parentheses |
/// | `\(sql: text, arguments: arguments)` | plain SQL |
public struct SQLInterpolation: StringInterpolationProtocol {
    var literal = SQL(elements: [])

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds plain SQL.
    public mutating func appendLiteral(_ sql: String) { literal.append(sql: sql) }

    /// Adds plain SQL with the values of its parameters.
    public mutating func appendInterpolation(
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        literal.append(sql: sql, arguments: arguments)
    }

    /// Adds another literal.
    public mutating func appendInterpolation(literal sqlLiteral: SQL) {
        literal.append(literal: sqlLiteral)
    }

    /// Adds another literal.
    public mutating func appendInterpolation(_ sqlLiteral: SQL) {
        literal.append(literal: sqlLiteral)
    }

    // MARK: Values

    /// Adds a value.
    public mutating func appendInterpolation(_ expressible: (any DatabaseValueConvertible)?) {
        literal += SQL(elements: [.value(expressible?.databaseValue ?? .null)])
    }

    /// Adds text as a value.
    public mutating func appendInterpolation<S: StringProtocol>(_ string: S) {
        literal += SQL(elements: [.value(String(string).databaseValue)])
    }

    /// Adds a single value whose type is also a sequence, such as `Data`.
    public mutating func appendInterpolation<S>(_ value: S)
    where S: Sequence & DatabaseValueConvertible, S.Element: DatabaseValueConvertible {
        literal += SQL(elements: [.value(value.databaseValue)])
    }

    /// Adds a list of values in parentheses, as `IN` requires.
    public mutating func appendInterpolation(
        _ sequence: some Sequence<some DatabaseValueConvertible>
    ) {
        appendList(sequence.map { SQL(elements: [.value($0.databaseValue)]) })
    }

    /// Adds a list of values in parentheses, as `IN` requires.
    public mutating func appendInterpolation(
        _ sequence: some Sequence<any DatabaseValueConvertible>
    ) {
        appendList(sequence.map { SQL(elements: [.value($0.databaseValue)]) })
    }

    /// Adds a list of values in parentheses, as `IN` requires.
    public mutating func appendInterpolation(
        _ sequence: some Sequence<(any DatabaseValueConvertible)?>
    ) {
        appendList(sequence.map { SQL(elements: [.value($0?.databaseValue ?? .null)]) })
    }

    /// Adds a list of expressions in parentheses.
    public mutating func appendInterpolation(_ sequence: some Sequence<SQL>) {
        appendList(Array(sequence))
    }

    private mutating func appendList(_ literals: [SQL]) {
        guard !literals.isEmpty else { return literal.append(sql: "(SELECT NULL WHERE NULL)") }
        literal.append(sql: "(")
        literal.append(literal: literals.joined(separator: ","))
        literal.append(sql: ")")
    }

    // MARK: Names

    /// Adds a name in double quotes.
    public mutating func appendInterpolation(identifier: String) {
        literal.append(sql: identifier.quotedIdentifier)
    }

    /// Adds the name of a column.
    public mutating func appendInterpolation(_ column: some ColumnExpression) {
        literal.append(sql: column.name.quotedIdentifier)
    }

    /// Adds the name of a column.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ column: any ColumnExpression) {
        literal.append(sql: column.name.quotedIdentifier)
    }

    /// Adds the name of the column that a coding key represents.
    public mutating func appendInterpolation(_ key: some CodingKey) {
        literal.append(sql: key.stringValue.quotedIdentifier)
    }

    /// Adds the name of the column that a coding key represents.
    public mutating func appendInterpolation(_ key: some CodingKey & ColumnExpression) {
        literal.append(sql: key.name.quotedIdentifier)
    }

    /// Adds a list of columns in parentheses.
    public mutating func appendInterpolation(_ columns: some Sequence<Column>) {
        appendList(columns.map { SQL(sql: $0.name.quotedIdentifier) })
    }

    /// Adds `*`.
    public mutating func appendInterpolation(_ columns: AllColumns) { literal.append(sql: "*") }

    /// Adds the name of a collation.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        literal.append(sql: collation.name)
    }

    /// Adds the name of a record's table.
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        literal.append(sql: table.databaseTableName.quotedIdentifier)
    }

    /// Adds the name of a record's table.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        literal.append(sql: table.databaseTableName.quotedIdentifier)
    }

    /// Adds the name of a record's table.
    public mutating func appendInterpolation(tableOf record: some TableRecord) {
        appendInterpolation(type(of: record))
    }

    /// Adds the selection of a record's table, such as `"player".*`.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - tableAlias: The table's alias in the query.
    public mutating func appendInterpolation(
        columnsOf recordType: (some TableRecord).Type,
        tableAlias: String? = nil
    ) {
        let table = (tableAlias ?? recordType.databaseTableName).quotedIdentifier
        let columns = recordType.databaseSelection.map { selectable in
            guard let column = selectable as? any ColumnExpression else { return "\(table).*" }
            return "\(table).\(column.name.quotedIdentifier)"
        }
        literal.append(sql: columns.joined(separator: ", "))
    }

    // MARK: Requests

    /// Adds the SQL of a request, without parentheses.
    public mutating func appendInterpolation<RowDecoder>(_ request: SQLRequest<RowDecoder>) {
        literal.append(literal: request.literal)
    }
}
