import CSQLite
import Foundation

/// A collation written in Swift.
///
/// A collation defines the order of text.
///
/// ```swift
/// db.add(collation: DatabaseCollation("backwards") { $1.compare($0) })
/// ```
public final class DatabaseCollation: Identifiable, Sendable {
    /// The identity of a collation within a connection: its name, ignoring case.
    public struct ID: Hashable, Sendable {
        private let key: String

        init(name: String) {
            // SQLite ignores the case of ASCII letters in names.
            key = String(decoding: name.utf8.map(\.asciiLowercase), as: UTF8.self)
        }
    }

    /// The identity of the collation.
    public var id: ID { ID(name: name) }

    /// The name in SQL.
    public let name: String

    private let compare: @Sendable (String, String) -> ComparisonResult

    /// Creates a collation.
    ///
    /// - Parameters:
    ///   - name: The name in SQL.
    ///   - function: A closure that compares two strings. Indexes depend on the order, so the
    ///     closure must always return the same result for the same strings.
    public init(
        _ name: String,
        function: @escaping @Sendable (String, String) -> ComparisonResult
    ) {
        self.name = name
        compare = function
    }

    /// Installs the collation on a connection.
    ///
    /// The connection retains the collation until the collation is replaced or removed.
    func install(on connection: SQLiteConnection?) -> CInt {
        let this = Unmanaged.passRetained(self)
        let code = sqlite3_create_collation_v2(
            connection,
            name,
            SQLITE_UTF8,
            this.toOpaque(),
            { this, leftCount, left, rightCount, right in
                guard let this else { return 0 }
                let collation = Unmanaged<DatabaseCollation>.fromOpaque(this)
                    .takeUnretainedValue()
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                let order = collation.compare(
                    String(decoding: left, as: UTF8.self),
                    String(decoding: right, as: UTF8.self)
                )
                return CInt(order.rawValue)
            },
            { $0.map { Unmanaged<DatabaseCollation>.fromOpaque($0).release() } }
        )
        // If the call fails, SQLite does not call the destructor. See
        // <https://www.sqlite.org/c3ref/create_collation.html>.
        if code != SQLITE_OK { this.release() }
        return code
    }

    func uninstall(from connection: SQLiteConnection?) -> CInt {
        sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, nil, nil)
    }
}
