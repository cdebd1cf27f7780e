import CSQLite
import Foundation
import Scenarios
import Telemetry

/// A guard that prevents captured SQL from accessing files outside the run's folder, and counts
/// rejected statements.
///
/// SQLite calls an authorizer while it prepares a statement
/// (<https://sqlite.org/c3ref/set_authorizer.html>).
package final class StatementGuard: Sendable {
    /// The folder of the run's database, with a trailing slash.
    private let folder: String
    private let counts = Lock<[String: UInt64]>([:])
    private let contexts = Lock<[Context]>([])

    /// The context of a connection's callback, retained by the guard.
    ///
    /// Unchecked: SQLite calls the callback only while a thread has exclusive use of the
    /// connection.
    private final class Context: @unchecked Sendable {
        unowned let statementGuard: StatementGuard
        let connection: OpaquePointer?

        init(statementGuard: StatementGuard, connection: OpaquePointer?) {
            self.statementGuard = statementGuard
            self.connection = connection
        }
    }

    package init(database path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        self.folder = folder.resolvingSymlinksInPath().path + "/"
    }

    /// The number of rejected statements, keyed by the kind of statement.
    package var refusals: [String: UInt64] { counts.withLock { $0 } }

    /// Installs the guard on a connection, which must be closed before the guard is released.
    package func install(on connection: OpaquePointer?) {
        let context = Context(statementGuard: self, connection: connection)
        contexts.withLock { $0.append(context) }
        sqlite3_set_authorizer(
            connection,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_DENY }
                let guardContext = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                return guardContext.statementGuard
                    .authorize(action, first: first, second: second, on: guardContext.connection)
            },
            Unmanaged.passUnretained(context).toOpaque()
        )
    }

    private func authorize(
        _ action: CInt,
        first: UnsafePointer<CChar>?,
        second: UnsafePointer<CChar>?,
        on connection: OpaquePointer?
    ) -> CInt {
        switch action {
        case SQLITE_ATTACH:
            // SQLite passes the file's name only if the name is a literal. An expression could
            // name any file.
            guard let first else { return refuse("ATTACH of a file named by an expression") }
            return authorizeAttach(String(cString: first), on: connection)
        case SQLITE_FUNCTION:
            guard let second, sqlite3_stricmp(second, "load_extension") == 0 else {
                return SQLITE_OK
            }
            return refuse("load_extension")
        case SQLITE_PRAGMA:
            guard let first, second != nil else { return SQLITE_OK }
            let name = String(cString: first).lowercased()
            guard ["temp_store_directory", "data_store_directory"].contains(name) else {
                return SQLITE_OK
            }
            return refuse("PRAGMA \(name)")
        default:
            return SQLITE_OK
        }
    }

    /// Authorizes `ATTACH` and `VACUUM`, which attaches its output file.
    private func authorizeAttach(_ name: String, on connection: OpaquePointer?) -> CInt {
        // An empty name means a temporary file, as for a plain `VACUUM`.
        if name.isEmpty || name == ":memory:" { return SQLITE_OK }
        if Self.isVacuuming(connection) { return refuse("VACUUM INTO") }
        // A URI can name a file in ways that this check does not support
        // (https://sqlite.org/uri.html).
        guard !name.lowercased().hasPrefix("file:") else { return refuse("ATTACH") }
        let path = URL(fileURLWithPath: name).standardizedFileURL.resolvingSymlinksInPath().path
        return path.hasPrefix(folder) ? SQLITE_OK : refuse("ATTACH")
    }

    /// Returns whether the connection is preparing internal statements of a running `VACUUM`.
    private static func isVacuuming(_ connection: OpaquePointer?) -> Bool {
        var statement = sqlite3_next_stmt(connection, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0, let text = sqlite3_sql(current),
                StatementTemplate(sql: String(cString: text)).verb == "VACUUM"
            {
                return true
            }
            statement = sqlite3_next_stmt(connection, current)
        }
        return false
    }

    private func refuse(_ statementKind: String) -> CInt {
        counts.withLock { $0[statementKind, default: 0] += 1 }
        return SQLITE_DENY
    }
}
