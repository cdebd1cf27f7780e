import CSQLite
import Foundation

/// A sequence of changes to a database, each of which is applied once.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("players") { db in
///     try db.create(table: "player") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.column("name", .text).notNull()
///     }
/// }
/// migrator.registerMigration("scores") { db in
///     try db.alter(table: "player") { t in t.add(column: "score", .integer) }
/// }
/// try migrator.migrate(pool)
/// ```
///
/// The table `grdb_migrations` contains the identifiers of the applied migrations, as with GRDB, so
/// that either library can continue with a database of the other.
public struct DatabaseMigrator: Sendable {
    /// When the foreign keys of a migration are checked.
    public enum ForeignKeyChecks: Sendable {
        /// Foreign keys are disabled during the migration, and all are checked before it commits.
        ///
        /// In a migration that was registered after
        /// ``DatabaseMigrator/disablingDeferredForeignKeyChecks()``, they are not checked.
        case deferred
        /// Foreign keys are enabled during the migration.
        ///
        /// A migration cannot then recreate a table that other tables reference. See
        /// <https://sqlite.org/lang_altertable.html#otheralter>.
        case immediate
    }

    /// Whether a changed definition of an applied migration removes the contents of the database.
    ///
    /// If this property is `true` and ``hasSchemaChanges(_:)`` returns `true`, all tables and rows
    /// are removed, and all migrations are applied. Set it only during development.
    public var eraseDatabaseOnSchemaChange = false

    private var registered: [Migration] = []
    private var checksDeferredForeignKeys = true

    /// Creates a migrator without migrations.
    public init() {}

    /// Returns a migrator whose subsequently registered migrations do not check deferred foreign
    /// keys.
    ///
    /// Such migrations are faster, but can leave rows that reference missing rows. To check some of
    /// them, call ``Database/checkForeignKeys(in:in:)`` in a migration.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.checksDeferredForeignKeys = false
        return migrator
    }

    // MARK: Registration

    /// Registers a migration, which runs after the previously registered migrations.
    ///
    /// Registering two migrations with the same identifier is a fatal error.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, which must not change after a database has been migrated.
    ///   - foreignKeyChecks: When foreign keys are checked, if the configuration enables them.
    ///   - migrate: A closure that changes the database, in a transaction on the writer. If the
    ///     closure throws an error, the transaction rolls back, and no other migration runs.
    public mutating func registerMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in
            try migrate(db)
        }
    }

    /// Registers a migration that replaces earlier migrations.
    ///
    /// The identifiers of the replaced migrations are removed from the database. Name the migration
    /// like the last one that it replaces, or give it a new name:
    ///
    /// ```swift
    /// migrator.registerMigration("scores", merging: ["players"]) { db, applied in
    ///     if !applied.contains("players") {
    ///         try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    ///     }
    ///     try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
    /// }
    /// ```
    ///
    /// Registering two migrations with the same identifier is a fatal error.
    ///
    /// - Parameters:
    ///   - identifier: The identifier. A migration never replaces itself.
    ///   - foreignKeyChecks: When foreign keys are checked, if the configuration enables them.
    ///   - mergedIdentifiers: The identifiers of the replaced migrations.
    ///   - migrate: A closure that changes the database, in a transaction on the writer. Its second
    ///     argument contains the replaced migrations that had been applied.
    public mutating func registerMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate:
            @escaping @Sendable (
                _ db: Database,
                _ appliedIdentifiers: Set<String>
            ) throws -> Void
    ) {
        requirement(
            !migrations.contains(identifier),
            "The migration \"\(identifier)\" is already registered."
        )
        let migration = Migration(
            identifier: identifier,
            mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
            disablesForeignKeys: foreignKeyChecks == .deferred,
            checksForeignKeys: foreignKeyChecks == .deferred && checksDeferredForeignKeys,
            body: migrate
        )
        registered.append(migration)
    }

    // MARK: Migration

    /// Applies all registered migrations that have not been applied, while no read is running.
    ///
    /// Each migration commits separately. If another process migrates the file at the same time,
    /// each migration is applied by only one of the processes, and the other may wait for it,
    /// depending on ``Configuration/busyMode``.
    ///
    /// - Throws: The error of the first migration that fails, or a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT_FOREIGNKEY` if a row references a missing row, or `SQLITE_BUSY`.
    public func migrate(
        _ writer: any DatabaseWriter,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        guard let last = migrations.last else { return }
        try migrate(writer, upTo: last, fileID: fileID, line: line)
    }

    /// Applies the migrations up to and including a migration, while no read is running.
    ///
    /// It is a fatal error if the migration is not registered, or if a later one has been applied.
    ///
    /// - Throws: The same errors as ``migrate(_:fileID:line:)``.
    public func migrate(
        _ writer: any DatabaseWriter,
        upTo targetIdentifier: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writer.barrierWriteWithoutTransaction(at: site) { db in
            try migrate(db, upTo: targetIdentifier)
        }
    }

    /// Schedules all migrations that have not been applied, and returns immediately.
    ///
    /// - Parameters:
    ///   - writer: The database.
    ///   - completion: A closure that receives the migrated database, or the error that
    ///     ``migrate(_:fileID:line:)`` would throw. It runs on the writer, outside a transaction,
    ///     while no read is running.
    ///   - fileID: The file that `status()` shows for the access.
    ///   - line: The line that `status()` shows for the access.
    public func asyncMigrate(
        _ writer: any DatabaseWriter,
        completion: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let site = AccessSite(fileID: fileID, line: line)
        writer.asyncBarrierWriteWithoutTransaction(at: site) { db in
            completion(
                Result {
                    let db = try db.get()
                    if let last = migrations.last { try migrate(db, upTo: last) }
                    return db
                }
            )
        }
    }

    /// Applies all migrations that have not been applied, without blocking the thread.
    ///
    /// - Throws: The same errors as ``migrate(_:fileID:line:)``, and `CancellationError`. After a
    ///   cancellation, a running migration has been rolled back.
    public func asyncMigrate(
        _ writer: any DatabaseWriter,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writer.barrierWriteWithoutTransaction(at: site) { db in
            if let last = migrations.last { try migrate(db, upTo: last) }
        }
    }

    private func migrate(_ db: Database, upTo target: String) throws {
        if eraseDatabaseOnSchemaChange {
            var hasChanged = false
            try db.inTransaction(.deferred) {
                hasChanged = try hasSchemaChanges(db)
                return .commit
            }
            if hasChanged { try db.erase() }
        }
        try run(db, upTo: target)
    }

    private func run(_ db: Database, upTo target: String) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
                """
        )
        guard let targetIndex = migrations.firstIndex(of: target) else {
            fatalError("The migration \"\(target)\" is not registered.")
        }
        var applied = try appliedIdentifiers(db)
        requirement(
            registered.dropFirst(targetIndex + 1).allSatisfy { !applied.contains($0.identifier) },
            "The database is already migrated beyond the migration \"\(target)\"."
        )
        // What the table contains unless another connection changes it. `applied` remains the state
        // before the first migration, which determines what a merging migration receives.
        var expected = applied
        for migration in registered.prefix(targetIndex + 1) {
            guard migration.isNeeded(applied) else { continue }
            try migration.inTransaction(db) {
                let current = try appliedIdentifiers(db)
                if current != expected { applied = current }
                let hasRun = try migration.apply(db, applied: applied)
                expected = try appliedIdentifiers(db)
                return hasRun
            }
        }
    }

    // MARK: Queries

    /// The identifiers of the registered migrations, in the order of registration.
    public var migrations: [String] { registered.map(\.identifier) }

    /// Returns the identifiers of the applied migrations, including those that are not registered.
    ///
    /// - Throws: A ``DatabaseError``.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        guard try db.tableExists("grdb_migrations") else { return [] }
        return try String.fetchSet(db, sql: "SELECT identifier FROM grdb_migrations")
    }

    /// Returns the identifiers of the registered migrations that have been applied, in the order of
    /// registration.
    ///
    /// - Throws: A ``DatabaseError``.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter { applied.contains($0) }
    }

    /// Returns the identifiers of the applied migrations before the first registered migration that
    /// has not been applied, in the order of registration.
    ///
    /// - Throws: A ``DatabaseError``.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix { applied.contains($0) })
    }

    /// Returns whether all registered migrations have been applied.
    ///
    /// - Throws: A ``DatabaseError``.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try completedMigrations(db).count == registered.count
    }

    /// Returns whether a migration has been applied that is not registered, for example by a newer
    /// version of the program.
    ///
    /// - Throws: A ``DatabaseError``.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: migrations)
    }

    /// Returns whether the registered migrations define another schema than that of the database.
    ///
    /// The result is `true` if an applied migration is not registered, or if the definitions of
    /// tables, views, indexes, and triggers differ from those in a temporary file to which the
    /// applied migrations are applied again.
    ///
    /// - Throws: A ``DatabaseError``, the error of a migration, or that of the file system if the
    ///   temporary file cannot be created.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        if try hasBeenSuperseded(db) { return true }
        guard let last = try appliedMigrations(db).last else { return false }
        var configuration = db.configuration
        configuration.readonly = false
        configuration.isForReaderOfWritablePool = false
        // The queues may be in use by this access.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.label = "SQLiteEngine.DatabaseMigrator.temporary"
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("SQLiteEngine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("migrator.sqlite").path
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let expected = try queue.writeWithoutTransaction { db in
            try run(db, upTo: last)
            return try Self.definitions(db)
        }
        return try Self.definitions(db) != expected
    }

    /// Returns the definitions in the schema of the main database, except those of SQLite and of
    /// migrators.
    private static func definitions(_ db: Database) throws -> Set<Row> {
        try Row.fetchSet(
            db,
            sql: """
                SELECT type, name, tbl_name, sql FROM main.sqlite_master \
                WHERE NOT name GLOB 'sqlite_*' AND NOT name GLOB 'pragma_*' \
                AND NOT name GLOB 'grdb_*'
                """
        )
    }
}

/// One change to a database, which a ``DatabaseMigrator`` applies.
struct Migration: Sendable {
    let identifier: String
    let mergedIdentifiers: Set<String>
    /// Whether foreign keys are disabled during the migration.
    let disablesForeignKeys: Bool
    /// Whether all foreign keys are checked before the migration commits.
    let checksForeignKeys: Bool
    let body: @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void

    /// Returns whether the migration has not been applied, or leaves identifiers to remove.
    func isNeeded(_ applied: Set<String>) -> Bool {
        !applied.contains(identifier) || !mergedIdentifiers.isDisjoint(with: applied)
    }

    /// Runs a closure in a transaction, with the foreign keys that the migration requires.
    ///
    /// The closure returns whether it has run the migration.
    func inTransaction(_ db: Database, _ apply: () throws -> Bool) throws {
        // Migrations do not depend on the schema source, which may change later.
        try db.withSchemaSource(nil) {
            let hadForeignKeys = db.foreignKeysAreEnabled
            if disablesForeignKeys { db.foreignKeysAreEnabled = false }
            defer { db.foreignKeysAreEnabled = hadForeignKeys }
            try db.inTransaction(.immediate) {
                let hasRun = try apply()
                if hasRun, hadForeignKeys, checksForeignKeys { try db.checkForeignKeys() }
                return .commit
            }
        }
    }

    /// Applies the migration unless it has been applied, and records this.
    ///
    /// - Parameters:
    ///   - db: A connection in a transaction.
    ///   - applied: The identifiers of the applied migrations.
    /// - Returns: Whether the migration has run.
    /// - Throws: The error of the migration, or a ``DatabaseError``.
    func apply(_ db: Database, applied: Set<String>) throws -> Bool {
        let isApplied = applied.contains(identifier)
        if !isApplied { try body(db, mergedIdentifiers.intersection(applied)) }
        if !mergedIdentifiers.isEmpty {
            try db.execute(
                literal: "DELETE FROM grdb_migrations WHERE identifier IN \(mergedIdentifiers)"
            )
        }
        guard !isApplied else { return false }
        try db.execute(literal: "INSERT INTO grdb_migrations (identifier) VALUES (\(identifier))")
        return true
    }
}

extension Database {
    /// Whether SQLite enforces foreign keys.
    ///
    /// Unlike `PRAGMA foreign_keys`, changes cannot fail, so that an interrupt or a lack of memory
    /// never leaves the foreign keys disabled. Set this property only outside transactions.
    fileprivate var foreignKeysAreEnabled: Bool {
        get {
            var isEnabled: CInt = 0
            poolgauge_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &isEnabled)
            return isEnabled != 0
        }
        set { poolgauge_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, newValue ? 1 : 0, nil) }
    }
}
