import Telemetry

/// A part of a database: nothing, everything, or some columns or rows of some tables.
///
/// A statement reads a region (``Statement/databaseRegion``), and a change may modify a region.
public struct DatabaseRegion: Sendable {
    /// The regions of the tables, or `nil` for the whole database.
    private var tables: [SQLName: TableRegion]?

    init(tables: [SQLName: TableRegion]?) { self.tables = tables }

    /// The whole database.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Creates an empty region.
    public init() { self.init(tables: [:]) }

    init(table: String, columns: Set<String>? = nil, rowIds: Set<Int64>? = nil) {
        let columns = columns.map { Set($0.map { SQLName($0) }) }
        self.init(tables: [SQLName(table): TableRegion(columns: columns, rowIDs: rowIds)])
    }

    /// Whether the region is empty.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Whether the region is the whole database.
    public var isFullDatabase: Bool { tables == nil }

    /// Returns whether changes of a kind may modify the region.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        !intersection(eventKind.modifiedRegion).isEmpty
    }

    /// Returns whether a change modifies the region.
    ///
    /// Call this method only for events of a kind that may modify the region, because an event does
    /// not contain the changed columns. The result is `true` if the region does not contain the
    /// event's table, such as the shadow table of a virtual table. It is also `true` for a change of
    /// another row of the table if the statement may have changed the region's rows without an
    /// event, because it replaces rows or changes rowids.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables, let table = tables[SQLName(event.tableName)] else { return true }
        guard let rowIDs = table.rowIDs else { return true }
        return event.mayChangeOtherRows || rowIDs.contains(event.rowID)
    }

    /// Returns the region that contains everything in either region.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let others = other.tables else { return .fullDatabase }
        return DatabaseRegion(tables: tables.merging(others) { $0.union($1) })
    }

    /// Adds another region to this region.
    public mutating func formUnion(_ other: DatabaseRegion) { self = union(other) }

    func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables else { return other }
        guard let others = other.tables else { return self }
        var common: [SQLName: TableRegion] = [:]
        for (name, table) in tables {
            guard let part = others[name].map({ table.intersection($0) }), !part.isEmpty else {
                continue
            }
            common[name] = part
        }
        return DatabaseRegion(tables: common)
    }

    // MARK: Applying the schema

    /// Returns the part of the region that observers can observe, with table names as in the
    /// schema.
    ///
    /// The result excludes SQLite's internal tables, because SQLite does not report their changes.
    /// It also excludes views, because the region already contains the tables that the views read.
    func observableRegion(_ db: Database) throws -> DatabaseRegion {
        guard let tables else { return .fullDatabase }
        let visible = tables.filter { !Database.isSQLiteInternalTable($0.key.text) }
        return try DatabaseRegion(tables: visible).canonicalTables(db)
    }

    /// Returns the region with table names as in the schema, without names that are not tables.
    func canonicalTables(_ db: Database) throws -> DatabaseRegion {
        guard let tables else { return .fullDatabase }
        var canonical: [SQLName: TableRegion] = [:]
        for (name, table) in tables {
            guard let tableName = try db.canonicalTableName(name.text) else { continue }
            canonical[SQLName(tableName)] = table
        }
        return DatabaseRegion(tables: canonical)
    }

    /// Returns the kinds of changes that may modify the region.
    ///
    /// - Precondition: The region's table names are canonical.
    func modifyingEventKinds(_ db: Database) throws -> [DatabaseEventKind] {
        func kinds(_ table: String, columns: Set<String>) -> [DatabaseEventKind] {
            [
                .delete(tableName: table), .insert(tableName: table),
                .update(tableName: table, columnNames: columns),
            ]
        }
        guard let tables else {
            return try db.allTableNames().flatMap { kinds($0, columns: try db.columnNames(in: $0)) }
        }
        return try tables.flatMap { name, table in
            let columns = table.columns.map { Set($0.map(\.text)) }
            return kinds(name.text, columns: try columns ?? db.columnNames(in: name.text))
        }
    }
}

extension DatabaseRegion: Equatable {}

extension DatabaseRegion: CustomStringConvertible {
    /// A description such as `player(id,name),team(*)[1,2]`, `empty`, or `full database`.
    public var description: String {
        guard let tables else { return "full database" }
        if tables.isEmpty { return "empty" }
        return tables.sorted { $0.key.text < $1.key.text }
            .map { $0.key.text + $0.value.description }
            .joined(separator: ",")
    }
}

struct TableRegion: Equatable, Sendable, CustomStringConvertible {
    /// The columns in the region, or `nil` for all columns.
    var columns: Set<SQLName>?
    /// The rowids of the rows in the region, or `nil` for all rows.
    var rowIDs: Set<Int64>?

    var isEmpty: Bool { columns?.isEmpty == true || rowIDs?.isEmpty == true }

    func union(_ other: TableRegion) -> TableRegion {
        TableRegion(
            columns: Self.union(columns, other.columns),
            rowIDs: Self.union(rowIDs, other.rowIDs)
        )
    }

    func intersection(_ other: TableRegion) -> TableRegion {
        TableRegion(
            columns: Self.intersection(columns, other.columns),
            rowIDs: Self.intersection(rowIDs, other.rowIDs)
        )
    }

    private static func union<T>(_ left: Set<T>?, _ right: Set<T>?) -> Set<T>? {
        guard let left, let right else { return nil }
        return left.union(right)
    }

    private static func intersection<T>(_ left: Set<T>?, _ right: Set<T>?) -> Set<T>? {
        guard let left else { return right }
        guard let right else { return left }
        return left.intersection(right)
    }

    var description: String {
        let columns = columns.map { $0.map(\.text).sorted().joined(separator: ",") } ?? "*"
        let rows = rowIDs.map { "[" + $0.sorted().map(String.init).joined(separator: ",") + "]" }
        return "(\(columns))\(rows ?? "")"
    }
}

/// A case-insensitive schema name that preserves the original case.
struct SQLName: Hashable, Sendable {
    let text: String
    private let key: String

    init(_ text: String) {
        self.text = text
        key = text.identifierKey
    }

    static func == (left: SQLName, right: SQLName) -> Bool { left.key == right.key }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A type that describes a region of a database.
public protocol DatabaseRegionConvertible: Sendable {
    /// Returns the region in the schema of `db`.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// Returns the region itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The whole database.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A region that a closure computes.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates a region from a closure.
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Creates a region from another convertible value.
    public init(_ region: some DatabaseRegionConvertible) {
        self.region = { try region.databaseRegion($0) }
    }

    /// Returns the region that the closure computes.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

/// An observation that reports each transaction that changes a region of a database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: DatabaseRegion.fullDatabase)
/// let cancellable = observation.start(in: pool) { error in
///     print(error)
/// } onChange: { db in
///     changed(db)  // The next write waits until this closure returns.
/// }
/// ```
///
/// The observation reports every transaction separately, on the connection that committed it. It
/// does not report transactions of other processes; see ``Database/notifyChanges(in:)``.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of the given regions.
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.regions = regions
    }

    /// Creates an observation of the given regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// This method waits for the writer, unless the current thread is already inside a write
    /// access. The observation reports every transaction that ends after this method returns.
    ///
    /// - Parameters:
    ///   - writer: The database to observe. The observation reports only this writer's
    ///     transactions.
    ///   - onError: A closure to call if a region cannot be determined when the observation
    ///     starts. While a changed schema has no such region, for example because a view is
    ///     missing, the observation reports the changes of the whole database.
    ///   - onChange: A closure to call on the writer after each commit that changed one of the
    ///     regions.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    public func start(
        in writer: any DatabaseWriter,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(regions, onChange: onChange)
        writer.unsafeReentrantWrite { db in
            do {
                guard try observer.begin(on: db) else { return }
                db.add(transactionObserver: observer, extent: .observerLifetime)
            } catch {
                onError(error)
            }
        }
        // The cancellable retains the observer.
        return AnyDatabaseCancellable { observer.end() }
    }
}

/// `@unchecked Sendable`: only the access that holds the writer uses `isTouched` and `database`, and
/// a lock protects all other state.
private final class RegionObserver: TransactionObserver, @unchecked Sendable {
    private struct State {
        var region = DatabaseRegion()
        /// The state of the schema when the region was determined.
        var schemaEpoch = 0
        var onChange: (@Sendable (Database) -> Void)?
    }

    private let regions: [any DatabaseRegionConvertible]
    private let state: Lock<State>
    private var isTouched = false
    private weak var database: Database?

    init(
        _ regions: [any DatabaseRegionConvertible],
        onChange: @escaping @Sendable (Database) -> Void
    ) {
        self.regions = regions
        state = Lock(State(onChange: onChange))
    }

    /// Determines the region.
    ///
    /// - Returns: `false` if the observation has already ended.
    /// - Throws: The error of a region that cannot be determined.
    func begin(on db: Database) throws -> Bool {
        database = db
        setRegion(try currentRegion(db), in: db)
        return state.withLock { $0.onChange != nil }
    }

    private func currentRegion(_ db: Database) throws -> DatabaseRegion {
        let region = try regions.reduce(into: DatabaseRegion()) {
            $0.formUnion(try $1.databaseRegion(db))
        }
        return try region.observableRegion(db)
    }

    private func setRegion(_ region: DatabaseRegion, in db: Database) {
        state.withLock { state in
            state.region = region
            state.schemaEpoch = db.schemaEpoch
        }
    }

    func end() { state.withLock { $0.onChange = nil } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        // A change of the schema, such as another definition of a view, can change the region.
        if let database, state.withLock({ $0.schemaEpoch != database.schemaEpoch }) {
            setRegion((try? currentRegion(database)) ?? .fullDatabase, in: database)
        }
        return state.withLock { state in
            state.onChange != nil && state.region.isModified(byEventsOfKind: eventKind)
        }
    }

    func databaseDidChange() { touch() }

    func databaseDidChange(with event: DatabaseEvent) {
        if state.withLock({ $0.region.isModified(by: event) }) { touch() }
    }

    private func touch() {
        isTouched = true
        stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidCommit(_ db: Database) {
        guard isTouched else { return }
        isTouched = false
        state.withLock { $0.onChange }?(db)
    }

    func databaseDidRollback(_ db: Database) { isTouched = false }
}

extension DatabaseWriter {
    /// Adds an observer of the writer's transactions.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: The lifetime of the observation. Defaults to the observer's lifetime.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        writeWithoutTransaction { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Removes an observer, if it is registered.
    public func remove(transactionObserver: some TransactionObserver) {
        writeWithoutTransaction { db in db.remove(transactionObserver: transactionObserver) }
    }
}
