/// The offsets of the fields that probes read, in bytes from the start of SQLite's structures.
///
/// The structures are private, and their layout may differ between builds of the same version.
/// Calibration therefore searches for the offsets. Unless stated otherwise, each property is the
/// offset of the field that its documentation describes.
struct StatementLayout: Sendable, Equatable {
    /// The pointer from a statement to its text.
    var sql: Int
    /// The pointer from a statement to its connection.
    var connection: Int
    /// A statement's program counter, which is negative before the first step.
    var programCounter: Int
    /// The result code of a statement's execution, which follows the program counter.
    var resultCode: Int
    /// The number of instructions that a statement has executed.
    ///
    /// The other counters of `sqlite3_stmt_status` surround it, in the order of their numbers.
    var steps: Int
    /// The number of valid counters, from the first one, or 0 if they were not found.
    var counterCount = 0
    /// The byte of a connection that is 0 inside an explicit transaction.
    var autocommit: Int
    /// The offsets of the pointers from a connection to the name of its main database file.
    var filePointers: [Int]
    /// The number of calls to a connection's busy handler in the last step, or `nil` if not found.
    var busyCalls: Int?
    /// A connection's busy timeout in milliseconds, or `nil` if not found.
    var busyTimeout: Int?
    /// The layout of a statement's bound values, or `nil` if not found.
    var values: ValueLayout?
    /// The places of a connection's settings.
    var settings = ConnectionLayout()
    /// SQLite's version, such as `3.46.1`, or `nil` if not known.
    var version: String?
    /// The text that identifies SQLite's source, or `nil` if not known.
    var sourceID: String?

    /// The number of bytes to search in each structure.
    static let limit = 1_024
    /// The number of pointers to follow from a connection to its file's name.
    static let filePointerCount = 5

    struct ValueLayout: Sendable, Equatable {
        /// The pointer from a statement to its values.
        var array: Int
        /// The number of a statement's values, stored in 2 bytes.
        var count: Int
        /// The size of a value, in bytes.
        var stride: Int
        /// A value's flags, stored in 2 bytes.
        var flags: Int
        /// The length of a string or blob, stored in 4 bytes.
        var length: Int
        /// The pointer from a value to a string or blob.
        var pointer: Int
    }
}

extension StatementLayout {
    /// The layout as text with lines such as `sql=248`.
    var text: String {
        var lines = [
            "sql=\(sql)", "connection=\(connection)", "programCounter=\(programCounter)",
            "resultCode=\(resultCode)", "steps=\(steps)", "counterCount=\(counterCount)",
            "autocommit=\(autocommit)",
        ]
        lines += filePointers.enumerated().map { "file\($0.offset)=\($0.element)" }
        if let busyCalls { lines.append("busyCalls=\(busyCalls)") }
        if let busyTimeout { lines.append("busyTimeout=\(busyTimeout)") }
        if let values {
            lines += [
                "array=\(values.array)", "count=\(values.count)", "stride=\(values.stride)",
                "flags=\(values.flags)", "length=\(values.length)", "pointer=\(values.pointer)",
            ]
        }
        lines += settings.lines
        if let version { lines.append("version=\(version)") }
        if let sourceID { lines.append("sourceID=\(sourceID)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The maximum number of counters.
    static let counterLimit = 8
    /// The maximum value of a number in the text, which is the offset of a function in a library.
    private static let numberLimit = 1 << 28
    private static let textLimit = 128

    /// Parses the text, or returns `nil` if an offset is missing or invalid.
    ///
    /// The text is untrusted, because the process that writes it runs code from another program's
    /// library.
    init?(text: String) {
        var numbers: [String: Int] = [:]
        var texts: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, numbers[parts[0]] == nil, texts[parts[0]] == nil else {
                return nil
            }
            if ["version", "sourceID"].contains(parts[0]) {
                guard parts[1].utf8.allSatisfy({ (0x20..<0x7f).contains($0) }),
                    parts[1].utf8.count <= Self.textLimit
                else { return nil }
                texts[parts[0]] = parts[1]
            } else {
                guard let number = Int(parts[1]), (0...Self.numberLimit).contains(number) else {
                    return nil
                }
                numbers[parts[0]] = number
            }
        }
        settings = ConnectionLayout(numbers)
        version = texts["version"]
        sourceID = texts["sourceID"]
        let offsets = numbers.filter { $0.value <= Self.limit }
        let filePointers = (0..<Self.filePointerCount).compactMap { offsets["file\($0)"] }
        guard let sql = offsets["sql"], let connection = offsets["connection"],
            let programCounter = offsets["programCounter"], let resultCode = offsets["resultCode"],
            let steps = offsets["steps"],
            let autocommit = offsets["autocommit"], filePointers.count == Self.filePointerCount,
            resultCode == programCounter + 4
        else { return nil }
        self.sql = sql
        self.connection = connection
        self.programCounter = programCounter
        self.resultCode = resultCode
        self.steps = steps
        counterCount = min(offsets["counterCount"] ?? 0, Self.counterLimit)
        self.autocommit = autocommit
        self.filePointers = filePointers
        busyCalls = offsets["busyCalls"]
        busyTimeout = offsets["busyTimeout"]
        if let array = offsets["array"], let count = offsets["count"],
            let stride = offsets["stride"], stride > 0, let flags = offsets["flags"],
            let length = offsets["length"], let pointer = offsets["pointer"]
        {
            values = ValueLayout(
                array: array,
                count: count,
                stride: stride,
                flags: flags,
                length: length,
                pointer: pointer
            )
        }
    }
}

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
