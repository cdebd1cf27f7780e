/// One way to open the database: what a comparison compares.
public struct Arm: Sendable, Equatable {
    /// What serves the accesses.
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        /// One connection for everybody.
        case queue
        /// A writer and several readers.
        case pool
        /// One connection for everybody, to a copy of the data in memory.
        case memory
        /// One connection that reads one state, taken when the first read comes.
        case snapshot
        /// Several connections that read one state, taken when the first read comes.
        case snapshotPool = "snapshot-pool"
    }

    /// Whose code makes the accesses.
    public enum Library: String, Sendable, Equatable, CaseIterable {
        /// This package's own.
        case engine
        /// libsqlite3 alone, with one connection for each worker: the limit of what is possible.
        case raw
        /// GRDB, where the program was built with it.
        case grdb
    }

    /// A mode of `PRAGMA journal_mode` (<https://sqlite.org/pragma.html#pragma_journal_mode>).
    public enum Journal: String, Sendable, Equatable, CaseIterable {
        /// A write-ahead log, with `synchronous = NORMAL` where the arm does not say otherwise.
        case wal
        /// A rollback journal that is deleted when a transaction ends: SQLite's default.
        case delete
        /// A rollback journal that is cut to no length.
        case truncate
        /// A rollback journal whose header is overwritten.
        case persist
        /// A rollback journal in memory: a crash inside a transaction ruins the file.
        case memory
        /// No journal: nothing can be rolled back.
        case off
    }

    /// A kind of `BEGIN` (<https://sqlite.org/lang_transaction.html>).
    public enum Begin: String, Sendable, Equatable, CaseIterable {
        /// Locks nothing until the first statement, and the database for writing at the first
        /// write, which fails with `SQLITE_BUSY` if another connection has committed since.
        case deferred
        /// Locks the database for writing.
        case immediate
        /// Outside WAL mode, also prevents other connections from reading.
        case exclusive

        /// The statement.
        package var sql: String { "BEGIN \(rawValue.uppercased())" }
    }

    /// The arm's name.
    public var name: String
    /// What serves the accesses; ``Library/raw`` has a connection for each worker whatever it is.
    public var kind: Kind
    /// Whose code makes the accesses.
    public var library: Library
    /// The most readers (`maximumReaderCount`); nil for the library's default.
    public var readers: Int?
    /// The journal mode that is asked for; nil for the library's default, see ``isWAL``.
    public var journal: Journal?
    /// `PRAGMA synchronous`, such as `normal`; nil for the library's default.
    public var synchronous: String?
    /// How a transaction that writes begins; nil for immediate.
    public var begin: Begin?
    /// How long a connection waits for another one's lock before it fails with `SQLITE_BUSY`; nil
    /// for the library's default.
    public var busyTimeout: Duration?
    /// Whether connections refuse statements that reach outside the run's folder.
    public var isGuarded = false
    /// Further pragmas, in their order, run on each connection.
    public var pragmas: [Pragma]
    /// Statements run once before the load, each outside of a transaction.
    public var setup: [String]
    /// The path of a database that this arm has instead of the scenario's data; it is copied.
    public var file: String?

    /// One pragma of a connection.
    public struct Pragma: Sendable, Equatable {
        /// Its name, such as `cache_size`.
        public var name: String
        /// Its value, as SQL text.
        public var value: String
        /// Creates a pragma.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an arm.
    public init(
        name: String,
        kind: Kind,
        library: Library = .engine,
        readers: Int? = nil,
        journal: Journal? = nil,
        synchronous: String? = nil,
        pragmas: [Pragma] = [],
        setup: [String] = [],
        file: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.library = library
        self.readers = readers
        self.journal = journal
        self.synchronous = synchronous
        self.pragmas = pragmas
        self.setup = setup
        self.file = file
    }

    /// Whether the database is in WAL mode: a pool's always is, and so is that of bare libsqlite3
    /// unless another journal is asked for; a queue's when it is asked for.
    public var isWAL: Bool {
        switch kind {
        case .pool: library != .raw || journal == nil || journal == .wal
        case .snapshot, .snapshotPool: true
        case .queue: journal == .wal
        case .memory: false
        }
    }
}
