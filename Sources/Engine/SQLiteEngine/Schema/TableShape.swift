import CSQLite
import Synchronization
import Telemetry

/// The table properties that a record requires.
struct TableShape {
    /// The columns in order, including generated columns.
    let columns: [String]

    /// The columns of the primary key, or `rowid` if the table declares no key.
    ///
    /// The schema source provides the key of a view.
    let primaryKey: [String]

    /// The column that is an alias for the rowid (`INTEGER PRIMARY KEY`).
    let rowIDColumn: String?

    let isView: Bool
}

extension Database {
    /// Returns the shape of a table or a view, ignoring the case of the name.
    ///
    /// The shape is cached until the schema changes. If `isForWrite` is set, a statement that writes
    /// follows; see ``schema(of:isForWrite:)``.
    ///
    /// - Throws: `SQLITE_ERROR` if no table or view has this name.
    func tableShape(_ name: String, isForWrite: Bool = false) throws -> TableShape {
        let key = name.identifierKey
        for database in try databaseNames() {
            let schema = try schema(of: database, isForWrite: isForWrite)
            if let shape = schema.shapes[key] { return shape }
            guard let object = try schemaObject(name, of: database, isForWrite: isForWrite) else {
                continue
            }
            let shape = try withoutRecording { try fetchShape(of: object) }
            schemaCache.databases[database]?.shapes[key] = shape
            return shape
        }
        throw DatabaseError(message: "no such table: \(name)")
    }

    func fetchShape(of table: SchemaObject) throws -> TableShape {
        let keys = try keyColumns(of: table)
        var rowIDColumn: String?
        if keys.count == 1, keys[0].type.uppercased() == "INTEGER" {
            // An `INTEGER PRIMARY KEY DESC` and the primary key of a table without rowids have a
            // separate index. See https://sqlite.org/lang_createtable.html#rowid.
            let indexCount =
                try Int.fetchOne(
                    self,
                    sql: "SELECT COUNT(*) FROM pragma_index_list(?, ?) WHERE origin = 'pk'",
                    arguments: [table.name, table.database]
                ) ?? 0
            if indexCount == 0 { rowIDColumn = keys[0].name }
        }
        var primaryKey = keys.map(\.name)
        if table.isView {
            primaryKey = try columnsForPrimaryKey(ofView: table.name, in: table.database)
        } else if keys.isEmpty {
            primaryKey = [Column.rowID.name]
        }
        return TableShape(
            columns: try columns(of: table).map(\.name),
            primaryKey: primaryKey,
            rowIDColumn: rowIDColumn,
            isView: table.isView
        )
    }
}

extension String {
    /// The name in double quotes, as an SQL identifier.
    var quotedIdentifier: String {
        utf8.contains(0x22) ? quoted(by: "\"") : "\"" + self + "\""
    }
}

/// A counter of the changes that this process makes to the schema of a database.
///
/// All connections to a file share the count. A connection that detects a new count clears its
/// cached schema without a query. ``SchemaCache`` explains how connections detect changes by other
/// processes.
///
/// `@unchecked Sendable`: the count is atomic, and its memory lives as long as this object.
final class SchemaGeneration: @unchecked Sendable {
    /// The count, which connections read through a pointer without retaining this object.
    let count: UnsafeMutablePointer<Atomic<UInt64>>

    private struct Entry {
        weak var generation: SchemaGeneration?
    }

    private static let shared = Lock<[String: Entry]>([:])

    init() {
        count = .allocate(capacity: 1)
        count.initialize(to: Atomic(1))
    }

    deinit {
        count.deinitialize(count: 1)
        count.deallocate()
    }

    /// Returns the shared count of a file, or a separate count for a database without a file.
    static func shared(path: String) -> SchemaGeneration {
        guard !path.isEmpty, path != ":memory:" else { return SchemaGeneration() }
        return shared.withLock { entries in
            if let generation = entries[path]?.generation { return generation }
            entries = entries.filter { $0.value.generation != nil }
            let generation = SchemaGeneration()
            entries[path] = Entry(generation: generation)
            return generation
        }
    }

    var current: UInt64 { count.pointee.load(ordering: .acquiring) }

    func increase() { count.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

/// The schema information that a connection has cached.
///
/// The cache is valid while both of these conditions are met:
/// - No connection of this process has changed the schema, according to ``SchemaGeneration``.
/// - The database file is unchanged, or its schema version is unchanged.
///   `SQLITE_FCNTL_DATA_VERSION` reports a file change without a query. SQLite updates the data
///   version when a transaction starts to read. Before that, a query must read the schema version.
struct SchemaCache {
    /// The names of the databases, with `temp` first.
    var databaseNames: [String]?
    var databases: [String: DatabaseSchema] = [:]
}

/// The schema of one database: `main`, `temp`, or an attached database.
struct DatabaseSchema {
    struct Object: Hashable {
        let type: String
        let name: String
    }

    /// The pager's change counter when the cache was last validated.
    var dataVersion: UInt32
    /// The committed state for which the cache was last validated, or `nil` if it is unknown.
    var state: CommittedState?
    /// SQLite's schema version, which changes with the schema.
    let schemaVersion: Int
    /// The original names of the objects, by type and lowercase name.
    let objects: [Object: String]
    /// Whether the definition of a table or a trigger contains the word `REPLACE`.
    let containsReplace: Bool
    /// The table details that have been requested, by lowercase table name.
    var details: [String: TableDetails] = [:]
    /// The table shapes for records, by lowercase table name.
    var shapes: [String: TableShape] = [:]

    func canonicalName(_ name: String, type: String) -> String? {
        objects[Object(type: type, name: name.identifierKey)]
    }
}
