#if !os(Linux)
import Findings

/// A session that watches SQLite databases that other processes use.
///
/// Available only on Linux.
public final class WatchSession {
    /// The maximum number of databases in a session.
    public static let databaseLimit = 64

    /// Throws ``WatchError/Code/unsupportedSystem``, because only Linux lists the locks of all
    /// processes.
    public init(
        paths: [String],
        helper: [String],
        options: WatchOptions = WatchOptions()
    ) throws(WatchError) {
        throw WatchError(
            .unsupportedSystem,
            "databases can be watched only on Linux, which lists the locks of all processes in "
                + "/proc/locks"
        )
    }

    /// Returns `false`.
    @discardableResult
    public func add(path: String) -> Bool { false }

    /// Does nothing.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {}

    /// Does nothing.
    public func sample() {}

    /// Always empty.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] { [] }

    /// Returns an empty array.
    public func reports() -> [WatchReport] { [] }
}

/// A search that finds SQLite databases.
///
/// Available only on Linux.
public final class DatabaseSearch {
    /// A database that a process has open.
    public struct OpenDatabase: Sendable, Equatable {
        /// The path of the database.
        public var path: String
        /// The IDs of the processes that have the database open.
        public var processes: [Int32]
    }

    /// The result of a search over all processes.
    public struct Result: Sendable, Equatable {
        /// The databases that processes have open.
        public var databases: [OpenDatabase] = []
        /// The limitations of the search, with remedies.
        public var notes: [String] = []
    }

    /// Creates a search that finds nothing.
    public init(helper: [String]) {}

    /// Returns `nil`.
    public func databases(in folder: String) -> [String]? { nil }

    /// Returns an empty result.
    public func openDatabases() -> Result { Result() }
}

/// The process that opens the watched files.
///
/// Available only on Linux.
public enum WatchHelper {
    /// Returns immediately.
    public static func run() {}
}
#endif
