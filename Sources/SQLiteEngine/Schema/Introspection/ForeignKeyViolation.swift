/// A row whose foreign key references a missing row.
///
/// See <https://sqlite.org/pragma.html#pragma_foreign_key_check>.
public struct ForeignKeyViolation: FetchableRecord, Sendable {
    /// The name of the table that contains the row.
    public var originTable: String

    /// The rowid of the row, or `nil` in a table without rowids.
    public var originRowID: Int64?

    /// The name of the referenced table.
    public var destinationTable: String

    /// The ``ForeignKeyInfo/id`` of the foreign key.
    public var foreignKeyId: Int

    /// Creates a violation from a row of `PRAGMA foreign_key_check`.
    public init(row: Row) {
        originTable = row[0]
        originRowID = row[1]
        destinationTable = row[2]
        foreignKeyId = row[3]
    }

    /// Returns a description that contains the columns of the foreign key and the values of the
    /// row.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the row cannot be read.
    public func failureDescription(_ db: Database) throws -> String {
        let key = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
        func columns(_ names: [String]?) -> String {
            names.map { "(\($0.joined(separator: ", ")))" } ?? ""
        }
        let description = """
            FOREIGN KEY constraint violation - \
            from \(originTable)\(columns(key?.originColumns)) \
            to \(destinationTable)\(columns(key?.destinationColumns))
            """
        guard let originRowID else { return description }
        let row = try Row.fetchOne(
            db,
            sql: "SELECT * FROM \(originTable.quotedIdentifier) WHERE rowid = ?",
            arguments: [originRowID]
        )
        return description + ", in \(row.map(\.description) ?? "rowid \(originRowID)")"
    }

    /// Returns the violation as an error with the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
    public func databaseError(_ db: Database) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
            message: (try? failureDescription(db)) ?? description
        )
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// A description that contains the tables and the rowid, if any.
    public var description: String {
        """
        FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\
        \(originRowID.map { ", in rowid \($0)" } ?? "")
        """
    }
}
