/// A selection from a table: a ``Column`` or ``AllColumns``.
public protocol SQLSelectable {}

/// A type that identifies a column.
public protocol ColumnExpression {
    /// The name of the column.
    var name: String { get }
}

/// A column of a table.
public struct Column: ColumnExpression, SQLSelectable, Hashable, Sendable {
    /// The rowid, which all tables except `WITHOUT ROWID` tables have.
    public static let rowID = Column("rowid")

    /// The name of the column.
    public var name: String

    /// Creates a column from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column with the name of a coding key.
    public init(_ codingKey: some CodingKey) {
        name = codingKey.stringValue
    }
}

/// All columns of a table.
public struct AllColumns: SQLSelectable, Sendable {
    /// Creates the selection.
    public init() {}
}

extension SQLSelectable where Self == AllColumns {
    /// All columns.
    public static var allColumns: AllColumns { AllColumns() }
}

/// A coding key type can serve as a column type: `enum CodingKeys: String, CodingKey,
/// ColumnExpression`.
extension ColumnExpression where Self: CodingKey {
    /// The string value of the key.
    public var name: String { stringValue }
}

extension Sequence<any SQLSelectable> {
    /// Returns the SQL list that follows `SELECT` or `RETURNING`.
    ///
    /// - Throws: `SQLITE_MISUSE` if a selection is neither a column nor ``AllColumns``.
    func selectionSQL() throws -> String {
        try map { selectable in
            switch selectable {
            case is AllColumns: return "*"
            case let column as any ColumnExpression: return column.name.quotedIdentifier
            default:
                throw DatabaseError.misuse(
                    "\(type(of: selectable)) is neither a column nor AllColumns"
                )
            }
        }
        .joined(separator: ", ")
    }
}
