/// The places of a connection's settings and statements in SQLite's structures.
///
/// As in ``StatementLayout``, calibration searches for the offsets, which are in bytes unless stated
/// otherwise. A field that was not found is missing, and its setting is unknown.
struct ConnectionLayout: Sendable, Equatable {
    enum Field: String, CaseIterable, Sendable {
        // In the connection (`sqlite3`).
        /// The pointer to the mutex, which is null unless threads may share the connection.
        case mutex
        /// The bit that is set while foreign keys are enforced.
        case foreignKeys
        /// The bit that is set while changes are prohibited.
        case queryOnly
        /// The argument of the hook for commits in WAL mode, which follows the hook.
        case walArgument
        /// The built-in hook, which starts checkpoints: its offset in the library's file.
        case walHook
        /// The pointer to the statement that was prepared last.
        case statements

        // In a statement (`Vdbe`).
        /// The pointer to the statement that was prepared before it.
        case nextStatement

        // In the entry of a database (`Db`).
        /// The pointer to the schema.
        case schema

        // In the schema (`Schema`).
        /// The cache size, which is 0 before the schema is read.
        case schemaCacheSize

        // In the b-tree (`Btree`).
        /// The pointer back to the connection.
        case owner
        /// The byte that states whether the cache is shared.
        case sharable

        // In the pager (`Pager`).
        /// The byte with the journal mode.
        case journalMode
        /// The byte that states whether locks are kept.
        case exclusive
        /// The bytes that state whether changes are never written through, and when.
        case noSync, fullSync, extraSync
        /// The byte that states whether the file is only read.
        case readOnly
        /// The pointer to the cache.
        case cache
        /// The pointer to the open file.
        case file

        // In the cache (`PCache`).
        /// The maximum size in pages, or in KiB if negative.
        case cacheSize

        // In the open file (`unixFile`).
        /// The pointer to the virtual file system.
        case fileSystem
        /// The maximum size of the memory mapping.
        case mappingLimit
        /// The pointer to what all open files with the same inode share.
        case inode

        // In the latter (`unixInodeInfo`).
        /// The number of these open files.
        case openFiles
        /// The pointer to a mutex, which is null if SQLite uses no mutexes at all.
        case inodeMutex

        // About the library.
        /// Whether the library was compiled without mutexes.
        case withoutThreads
        /// Whether the library was compiled without shared caches.
        case withoutSharedCache
        /// Whether the library was compiled without memory mappings.
        case withoutMapping

        /// The largest plausible value.
        fileprivate var limit: Int {
            switch self {
            case .walHook: 1 << 28
            case .foreignKeys, .queryOnly: 8 * StatementLayout.limit
            default: StatementLayout.limit
            }
        }
    }

    private var offsets: [Field: Int] = [:]

    init() {}

    subscript(field: Field) -> Int? {
        get { offsets[field] }
        set { offsets[field] = newValue }
    }

    /// The layout as lines such as `journalMode=9`.
    var lines: [String] {
        Field.allCases.compactMap { field in offsets[field].map { "\(field.rawValue)=\($0)" } }
    }

    /// Creates a layout from the numbers in untrusted lines, ignoring implausible ones.
    init(_ numbers: [String: Int]) {
        for field in Field.allCases {
            guard let number = numbers[field.rawValue], (0...field.limit).contains(number) else {
                continue
            }
            offsets[field] = number
        }
    }
}
