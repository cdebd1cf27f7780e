/// A type that provides the primary keys of views, which SQLite does not define.
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
/// With a primary key, you can fetch the view's records by key. You can also write them if the view
/// has the required triggers.
public protocol DatabaseSchemaSource: Sendable {
    /// Returns the columns that identify a row of a view, or `nil` for an unknown view.
    ///
    /// The result is cached until the schema changes.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Returns `nil` for every view.
    public func columnsForPrimaryKey(
        _ db: Database,
        inView view: DatabaseObjectID
    ) throws -> [String]? { nil }

    /// Returns a source that queries this source first, and then `other`.
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

/// One of the databases of a connection: `main`, `temp`, or an attached database.
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The main database of the connection.
    public static let main = DatabaseSchemaID(name: "main")
    /// The database of temporary tables.
    public static let temp = DatabaseSchemaID(name: "temp")

    /// The name in SQL.
    public let name: String
}

/// A table, a view, an index, or a trigger.
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String
    /// The database that the object belongs to.
    public var schemaID: DatabaseSchemaID
}

extension Database {
    /// Runs a closure with another schema source, or without one.
    ///
    /// - Throws: The error that `block` throws.
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?,
        execute block: () throws -> T
    ) rethrows -> T {
        let previous = self.schemaSource
        defer {
            self.schemaSource = previous
            discardCachedSchema()
        }
        self.schemaSource = schemaSource
        // The keys of views are cached.
        discardCachedSchema()
        return try block()
    }

    /// Returns a view's primary key from the schema source, or an empty array if there is none.
    func columnsForPrimaryKey(ofView view: String, in database: String) throws -> [String] {
        guard let source = schemaSource else { return [] }
        let id = DatabaseObjectID(name: view, schemaID: DatabaseSchemaID(name: database))
        return try withoutRecording { try source.columnsForPrimaryKey(self, inView: id) } ?? []
    }
}
