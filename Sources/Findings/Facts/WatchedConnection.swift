/// A connection of a traced program that has executed a statement since tracing started.
public struct WatchedConnection: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The address of the connection in the process, as hexadecimal digits.
    public var connection: String
    /// The file with the copy of SQLite that the connection uses.
    public var library: String?
    /// The effective settings, which are all unknown if the program's memory cannot be read.
    public var settings: ConnectionSettings
    /// The last successful pragma for each setting that the connection was seen to execute.
    public var pragmas: [WatchedPragma]
    /// Whether the connection was seen to write.
    public var hasWritten: Bool
    /// The statement that a thread is executing on the connection, or `nil` if none is known.
    public var running: Running?

    /// A statement that a connection is executing.
    public struct Running: Sendable, Codable, Equatable {
        /// The statement, formatted like ``WatchedStatement/sql``.
        public var sql: String
        /// The time since its start, in seconds.
        public var seconds: Double
        /// Whether ``seconds`` is only a lower bound, because the statement began before the process
        /// was traced.
        public var isLowerBound: Bool?

        /// Creates a statement.
        public init(sql: String, seconds: Double, isLowerBound: Bool? = nil) {
            self.sql = sql
            self.seconds = seconds
            self.isLowerBound = isLowerBound
        }
    }

    /// Creates a connection.
    public init(pid: Int32, connection: String) {
        self.pid = pid
        self.connection = connection
        settings = ConnectionSettings()
        pragmas = []
        hasWritten = false
    }

    /// The size of the cache in bytes, or `nil` if it is unknown.
    func cacheBytes(pageSize: Int) -> Double? {
        settings.cacheSize.map { Double($0.magnitude) * ($0 < 0 ? 1_024 : Double(pageSize)) }
    }
}

/// A pragma that set a setting of a connection.
public struct WatchedPragma: Sendable, Codable, Equatable {
    /// The name in lowercase.
    public var name: String
    /// The value as the program wrote it.
    public var value: String
    /// Whether the setting has this value now, or `nil` if that is unknown.
    public var isActive: Bool?

    /// Creates a pragma.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A copy of SQLite in a traced process.
public struct WatchedCopy: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The file with the copy.
    public var library: String
    /// SQLite's version, such as `3.46.1`, or `nil` if it is unknown.
    public var version: String?
    /// The text that identifies SQLite's source, or `nil` if it is unknown.
    public var sourceID: String?
    /// The number of connections that have executed a statement since tracing started.
    public var connections: Int
    /// The number of times that the copy has the database file open, or `nil` if it is unknown.
    ///
    /// Connections with a shared cache share an open file.
    public var openFiles: Int?
    /// The memory that the process may use, in bytes: that of its control group, or that of the
    /// machine.
    public var memoryBytes: UInt64?

    /// Creates a description.
    public init(pid: Int32, library: String) {
        self.pid = pid
        self.library = library
        connections = 0
    }

    /// The number of open connections that have executed no statement since tracing started, or 0 if
    /// it is unknown.
    ///
    /// A damaged recording may contain any numbers.
    package var unseenConnections: Int {
        let most = 1 << 20
        return max(0, min(openFiles ?? 0, most) - max(0, min(connections, most)))
    }
}
