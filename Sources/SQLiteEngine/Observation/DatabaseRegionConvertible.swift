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
