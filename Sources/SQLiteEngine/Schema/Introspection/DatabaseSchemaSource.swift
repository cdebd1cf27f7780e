/// Says of a schema what SQLite cannot know: the primary keys of views.
///
/// ```swift
/// struct Views: DatabaseSchemaSource {
///     func columnsForPrimaryKey(
///         _ db: Database,
///         inView view: DatabaseObjectID
///     ) throws -> [String]? { view.name == "activePlayer" ? ["id"] : nil }
/// }
/// configuration.schemaSource = Views()
/// ```
///
/// Records of such a view can be fetched by their keys, and be written where the view has triggers
/// for it.
public protocol DatabaseSchemaSource: Sendable {
    /// The columns that no two rows of a view have in common; nil for a view that it does not know.
    ///
    /// The answer is kept until the schema changes.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// It knows none.
    public func columnsForPrimaryKey(
        _ db: Database,
        inView view: DatabaseObjectID
    ) throws -> [String]? { nil }

    /// A source that asks another one where this one does not know.
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        ChainedSchemaSource(first: self, second: other)
    }
}

private struct ChainedSchemaSource: DatabaseSchemaSource {
    let first: any DatabaseSchemaSource
    let second: any DatabaseSchemaSource

    func columnsForPrimaryKey(
        _ db: Database,
        inView view: DatabaseObjectID
    ) throws -> [String]? {
        try first.columnsForPrimaryKey(db, inView: view)
            ?? second.columnsForPrimaryKey(db, inView: view)
    }
}

/// One of the databases of a connection: `main`, `temp`, or an attached one.
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The database that was opened.
    public static let main = DatabaseSchemaID(name: "main")
    /// The database of temporary tables.
    public static let temp = DatabaseSchemaID(name: "temp")

    /// The name in SQL.
    public let name: String
}

/// A table, a view, an index or a trigger.
public struct DatabaseObjectID: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The database that it belongs to.
    public var schemaID: DatabaseSchemaID
}

extension Database {
    /// The primary key of a view, as the schema source names it; empty where it names none.
    func columnsForPrimaryKey(ofView view: String, in database: String) throws -> [String] {
        guard let source = configuration.schemaSource else { return [] }
        let id = DatabaseObjectID(name: view, schemaID: DatabaseSchemaID(name: database))
        return try withoutRecording { try source.columnsForPrimaryKey(self, inView: id) } ?? []
    }
}
