/// What a statement can select of a table: a ``Column``, or ``AllColumns``.
public protocol SQLSelectable {}

/// What has the name of a column.
public protocol ColumnExpression {
    /// The name of the column.
    var name: String { get }
}

/// A column of a table.
public struct Column: ColumnExpression, SQLSelectable, Hashable, Sendable {
    /// The rowid that all tables have, but those `WITHOUT ROWID`.
    public static let rowID = Column("rowid")

    /// The name of the column.
    public var name: String

    /// Creates a column from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates the column that a coding key names.
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

/// Coding keys can name columns: `enum CodingKeys: String, CodingKey, ColumnExpression`.
extension ColumnExpression where Self: CodingKey {
    /// The key's text.
    public var name: String { stringValue }
}

extension Sequence<any SQLSelectable> {
    /// The part of a statement behind `SELECT` or `RETURNING`.
    ///
    /// - Throws: `SQLITE_MISUSE` for a selection that names no column.
    func selectionSQL() throws -> String {
        try map { selectable in
            switch selectable {
            case is AllColumns: return "*"
            case let column as any ColumnExpression: return column.name.quotedIdentifier
            default:
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "\(type(of: selectable)) is neither a column nor AllColumns"
                )
            }
        }
        .joined(separator: ", ")
    }
}
