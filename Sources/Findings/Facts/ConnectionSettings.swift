import Text

/// The effective settings of a connection's main database, read from the program's memory.
///
/// A setting is `nil` if it is unknown.
public struct ConnectionSettings: Sendable, Codable, Equatable {
    /// What `PRAGMA synchronous` sets.
    public enum Synchronous: String, Sendable, Codable, Equatable, CaseIterable {
        /// SQLite never waits for the disk.
        case off
        /// SQLite waits at the most important moments.
        case normal
        /// SQLite waits at each commit.
        case full
        /// SQLite also waits for the folder of a rollback journal.
        case extra
    }

    /// A journal mode, in the order of SQLite's numbers.
    public enum JournalMode: String, Sendable, Codable, Equatable, CaseIterable {
        /// The journal is deleted after each transaction.
        case delete
        /// The journal's header is overwritten.
        case persist
        /// There is no journal.
        case off
        /// The journal is truncated.
        case truncate
        /// The journal is in memory.
        case memory
        /// There is a write-ahead log.
        case wal
    }

    /// How SQLite uses mutexes.
    public enum Threading: String, Sendable, Codable, Equatable {
        /// Several threads may use the connection.
        case serialized
        /// Threads may use different connections.
        case multiThread = "multi-thread"
        /// One thread may use SQLite.
        case singleThread = "single-thread"
    }

    /// The time of SQLite's built-in busy handler, in milliseconds, or 0 without a handler.
    public var busyTimeoutMilliseconds: Int?
    /// Whether the program has a busy handler of its own.
    public var hasOwnBusyHandler: Bool?
    /// When SQLite waits for the disk.
    public var synchronous: Synchronous?
    /// The journal mode.
    public var journalMode: JournalMode?
    /// The maximum size of the cache in pages, or in KiB if negative.
    public var cacheSize: Int?
    /// The maximum size of the memory mapping, in bytes.
    public var mmapBytes: UInt64?
    /// The number of frames in the log at which a commit starts a checkpoint, or 0 if none does.
    public var autocheckpointFrames: Int?
    /// Whether the program has a hook of its own for commits in WAL mode, instead of automatic
    /// checkpoints.
    public var hasOwnCommitHook: Bool?
    /// Whether foreign keys are enforced.
    public var foreignKeys: Bool?
    /// Whether the connection keeps its locks (`PRAGMA locking_mode = EXCLUSIVE`).
    public var keepsLocks: Bool?
    /// Whether the connection shares its cache with other connections.
    public var sharesCache: Bool?
    /// Whether the connection can only read the file.
    public var isReadOnly: Bool?
    /// Whether `PRAGMA query_only` prohibits changes.
    public var isQueryOnly: Bool?
    /// How SQLite uses mutexes.
    public var threading: Threading?

    /// Creates unknown settings.
    public init() {}
}

/// A setting of a connection.
package enum ConnectionSetting: String, CaseIterable, Sendable {
    // The values are the names of the pragmas, where they exist.
    case busyTimeout = "busy_timeout"
    case synchronous
    case journalMode = "journal_mode"
    case cacheSize = "cache_size"
    case mmapSize = "mmap_size"
    case autocheckpoint = "wal_autocheckpoint"
    case foreignKeys = "foreign_keys"
    case lockingMode = "locking_mode"
    case sharedCache = "shared_cache"
    case readOnly = "read_only"
    case queryOnly = "query_only"
    case threading

    /// Returns the value in words, or `nil` if it is unknown.
    package func words(_ settings: ConnectionSettings) -> String? {
        func onOff(_ value: Bool?) -> String? { value.map { $0 ? "on" : "off" } }
        return switch self {
        case .busyTimeout:
            settings.hasOwnBusyHandler == true
                ? "own handler" : settings.busyTimeoutMilliseconds.map(Self.timeout)
        case .synchronous: settings.synchronous?.rawValue
        case .journalMode: settings.journalMode?.rawValue
        case .cacheSize: settings.cacheSize.map(Self.cacheSize)
        case .mmapSize: settings.mmapBytes.map(Self.mapping)
        case .autocheckpoint:
            settings.hasOwnCommitHook == true
                ? "own hook" : settings.autocheckpointFrames.map(Self.autocheckpoint)
        case .foreignKeys: onOff(settings.foreignKeys)
        case .lockingMode: settings.keepsLocks.map { $0 ? "exclusive" : "normal" }
        case .sharedCache: onOff(settings.sharesCache)
        case .readOnly: onOff(settings.isReadOnly)
        case .queryOnly: onOff(settings.isQueryOnly)
        case .threading: settings.threading?.rawValue
        }
    }

    private static func timeout(_ milliseconds: Int) -> String {
        milliseconds == 0 ? "none" : "\(milliseconds) ms"
    }

    private static func cacheSize(_ size: Int) -> String {
        size < 0 ? "\(size.magnitude) KiB" : "\(size) pages"
    }

    private static func mapping(_ bytes: UInt64) -> String {
        bytes == 0 ? "off" : HumanUnits.bytes(bytes)
    }

    private static func autocheckpoint(_ frames: Int) -> String {
        frames == 0 ? "off" : "\(frames) pages"
    }

    /// Returns the words for what a pragma requests, or `nil` if the value only queries the setting
    /// or its meaning depends on the library.
    package func words(forPragma value: String) -> String? {
        let value = value.lowercased()
        let number = Int(value)
        switch self {
        case .busyTimeout: return number.map { Self.timeout(max(0, $0)) }
        case .synchronous:
            let levels = ConnectionSettings.Synchronous.allCases
            if let number { return levels.indices.contains(number) ? levels[number].rawValue : nil }
            let isOn: Bool? = Self.isOn(value)
            return levels.first { $0.rawValue == value }?.rawValue
                ?? isOn.map { $0 ? "normal" : "off" }
        case .journalMode:
            return ConnectionSettings.JournalMode(rawValue: value)?.rawValue
        case .cacheSize: return number.flatMap { $0 == 0 ? nil : Self.cacheSize($0) }
        case .mmapSize: return number.flatMap { $0 < 0 ? nil : Self.mapping(UInt64($0)) }
        case .autocheckpoint: return number.map { Self.autocheckpoint(max(0, $0)) }
        case .foreignKeys, .queryOnly:
            return (number.map { $0 != 0 } ?? Self.isOn(value)).map { $0 ? "on" : "off" }
        case .lockingMode: return ["normal", "exclusive"].contains(value) ? value : nil
        case .sharedCache, .readOnly, .threading: return nil
        }
    }

    private static func isOn(_ word: String) -> Bool? {
        ["on": true, "yes": true, "true": true, "off": false, "no": false, "false": false][word]
    }
}
