/// A database configuration to measure and to compare with other arms.
public struct Arm: Sendable, Codable, Equatable {
    /// The kind of connections that serve the accesses.
    public enum Kind: String, Sendable, Codable, Equatable, CaseIterable {
        /// One connection for all accesses.
        case queue
        /// A writer and several readers.
        case pool
        /// One connection for all accesses to a copy of the data in memory.
        case memory
        /// One connection to a snapshot that the first read takes.
        case snapshot
        /// Several connections to a snapshot that the first read takes.
        case snapshotPool = "snapshot-pool"
    }

    /// The library that performs the accesses.
    public enum Library: String, Sendable, Codable, Equatable, CaseIterable {
        /// This package's engine.
        case engine
        /// Bare libsqlite3 with one connection for each worker, as an upper bound on performance.
        case raw
        /// GRDB, if the program was built with it.
        case grdb
    }

    /// A mode of `PRAGMA journal_mode` (<https://sqlite.org/pragma.html#pragma_journal_mode>).
    public enum Journal: String, Sendable, Codable, Equatable, CaseIterable {
        /// A write-ahead log, with `synchronous = NORMAL` by default.
        case wal
        /// A rollback journal that is deleted when a transaction ends (SQLite's default).
        case delete
        /// A rollback journal that is truncated to zero length when a transaction ends.
        case truncate
        /// A rollback journal whose header is overwritten when a transaction ends.
        case persist
        /// A rollback journal in memory.
        ///
        /// A crash inside a transaction can corrupt the file.
        case memory
        /// No journal, which prevents rollbacks.
        case off
    }

    /// A kind of `BEGIN` (<https://sqlite.org/lang_transaction.html>).
    public enum Begin: String, Sendable, Codable, Equatable, CaseIterable {
        /// Acquires the write lock only at the first write.
        ///
        /// The write fails with `SQLITE_BUSY` if another connection has committed since the first
        /// read.
        case deferred
        /// Acquires the write lock immediately.
        case immediate
        /// Acquires the write lock and, outside WAL mode, prevents other connections from reading.
        case exclusive

        package var sql: String { "BEGIN \(rawValue.uppercased())" }
    }

    /// The arm's name.
    public var name: String
    /// The kind of connections.
    ///
    /// ``Library/raw`` always has one connection for each worker.
    public var kind: Kind
    /// The library that performs the accesses.
    public var library: Library
    /// The program that performs the accesses, or `nil` if this process performs them.
    ///
    /// With a driver, ``library`` is ``Library/raw``, which performs what the driver does not.
    public var driver: Driver?
    /// The maximum number of readers, or `nil` for the library's default.
    public var readers: Int?
    /// The requested journal mode, or `nil` for the library's default; see ``isWAL``.
    public var journal: Journal?
    /// The value of `PRAGMA synchronous`, such as `normal`, or `nil` for the library's default.
    public var synchronous: String?
    /// The kind of `BEGIN` for write transactions, or `nil` for ``Begin/immediate``.
    public var begin: Begin?
    /// The time to wait for a lock before an access fails with `SQLITE_BUSY`, or `nil` for the
    /// library's default.
    public var busyTimeout: Duration?
    /// The pauses between attempts to acquire a lock, or `nil` for ``BusyRetry/backoff``.
    public var busyRetry: BusyRetry?
    /// Whether connections reject statements that access files outside the run's folder.
    public var isGuarded = false
    /// Additional pragmas, which run in order on each connection.
    public var pragmas: [Pragma]
    /// The statements to run once before the load, each outside a transaction.
    public var setup: [String]
    /// The path of a database to copy for this arm, or `nil` to use the scenario's data.
    public var file: String?

    /// A connection's pragma.
    public struct Pragma: Sendable, Codable, Equatable {
        /// The name, such as `cache_size`.
        public var name: String
        /// The value, as SQL text.
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

    /// Whether the database is in WAL mode.
    ///
    /// A pool always uses WAL mode, and a queue uses it only on request. Bare libsqlite3 uses WAL
    /// mode with a pool unless the arm requests another journal.
    public var isWAL: Bool {
        switch kind {
        case .pool: library != .raw || journal == nil || journal == .wal
        case .snapshot, .snapshotPool: true
        case .queue: journal == .wal
        case .memory: false
        }
    }
}

/// The pauses between attempts to acquire a lock that another connection holds.
public enum BusyRetry: Sendable, Codable, Equatable {
    /// The pauses of `sqlite3_busy_timeout`: 1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, then 100 ms.
    case backoff
    /// Pauses of equal length, such as the 1 ms pauses of the Rails busy handler.
    ///
    /// With increasing pauses, new waiters retry more often than old waiters. With equal pauses,
    /// all waiters have the same chance.
    case fixed(Duration)

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Parses text such as `backoff` or `fixed 1ms`.
    ///
    /// - Throws: ``Failure`` if the text is invalid.
    init(parsing text: String) throws {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        func failure(_ problem: String) -> Failure {
            Failure(
                description: "\(problem); write backoff, or fixed and a time, such as fixed 1ms"
            )
        }
        switch (words.first ?? "", words.dropFirst().first) {
        case ("backoff", nil):
            self = .backoff
        case ("backoff", _?):
            throw failure("'\(text)' has a time, but backoff always uses SQLite's pauses")
        case ("fixed", nil):
            throw failure("'\(text)' has no time")
        case ("fixed", let time?):
            let pause: Duration
            do { pause = try Quantity.duration(time) } catch {
                throw failure(
                    Double(time) == nil
                        ? "'\(time)' in '\(text)' is not a time"
                        : "the time in '\(text)' has no unit"
                )
            }
            guard pause > .zero else { throw failure("'\(text)' requires a pause longer than 0") }
            self = .fixed(pause)
        default:
            throw failure("'\(text)' is not a kind of retry")
        }
    }
}
