import Findings

/// A reader of the effective settings and running statements of connections in a process's memory.
///
/// The memory belongs to another program and changes while it is read. Before and after, the reader
/// therefore checks that the connection's b-tree refers back to the connection, and that the
/// connection has the expected file.
struct ConnectionReader {
    enum Outcome: Equatable {
        /// The settings, and how often the copy of SQLite has the file open.
        case read(ConnectionSettings, openFiles: Int?)
        /// The address is not that of a connection to the file.
        case noConnection
        /// The layout is not known.
        case unknown
    }

    let memory: any ProcessMemory
    let process: Int32
    let layout: StatementLayout
    /// The library's code in the process, or `nil` if unknown.
    let code: ProcessMaps.Mapping?

    private static let pathLimit = 1 << 16
    private static let openFileLimit = 1 << 20

    /// The structures of a connection's main database.
    private struct Structures: Equatable {
        var database: UInt64
        var btree: UInt64
        var pager: UInt64
        /// The path of the file.
        var path: String
    }

    func settings(of connection: UInt64, path: String) -> Outcome {
        guard let owner = layout.settings[.owner] else { return .unknown }
        guard let structures = structures(of: connection, owner), structures.path == path else {
            return .noConnection
        }
        let file = openFile(connection, structures: structures)
        var settings = ConnectionSettings()
        readConnection(connection, inode: file?.inode, settings: &settings)
        readPager(structures, settings: &settings)
        settings.cacheSize = cacheSize(structures)
        settings.sharesCache =
            layout.settings[.withoutSharedCache] == 1
            ? false : flag(.sharable, in: bytes(at: structures.btree, count: 128))
        settings.mmapBytes = layout.settings[.withoutMapping] == 1 ? 0 : file?.mapping
        guard self.structures(of: connection, owner) == structures else {
            return .noConnection
        }
        return .read(settings, openFiles: file?.openFiles)
    }

    /// Returns the path of a connection's file, or `nil` if the address is not that of a connection.
    func path(of connection: UInt64) -> String? {
        layout.settings[.owner].flatMap { structures(of: connection, $0)?.path }
    }

    private func structures(of connection: UInt64, _ owner: Int) -> Structures? {
        let pointers = layout.filePointers
        guard pointers.count == StatementLayout.filePointerCount,
            let database = follow([pointers[0]], from: connection),
            let btree = follow([pointers[1]], from: database),
            let pager = follow([pointers[2], pointers[3]], from: btree),
            let name = follow([pointers[4]], from: pager),
            follow([owner], from: btree) == connection,
            let path = memory.path(ofProcess: process, at: name, limit: Self.pathLimit)
        else { return nil }
        return Structures(database: database, btree: btree, pager: pager, path: path)
    }

    // MARK: Statements

    /// A statement whose first step has not returned.
    struct FirstStep: Equatable {
        var statement: UInt64
        var connection: UInt64
        /// The address of the text.
        var sql: UInt64
        /// How often the statement was started.
        var runs: UInt32
    }

    /// The maximum number of a connection's statements to read.
    private static let statementLimit = 4_096

    /// Returns the address of the statement that a connection prepared last, or `nil` if the address
    /// is not that of a connection with a statement.
    func lastStatement(of connection: UInt64) -> UInt64? {
        guard let place = layout.settings[.statements],
            let statement = follow([place], from: connection),
            follow([layout.connection], from: statement) == connection
        else { return nil }
        return statement
    }

    /// Returns the statements of a connection whose first step has not returned.
    ///
    /// If there are several, they are nested.
    func firstSteps(of connection: UInt64) -> [FirstStep] {
        guard let place = layout.settings[.nextStatement] else { return [] }
        var steps: [FirstStep] = []
        var next = lastStatement(of: connection)
        for _ in 0..<Self.statementLimit {
            guard let statement = next, follow([layout.connection], from: statement) == connection
            else { break }
            if let step = firstStep(of: statement, connection) { steps.append(step) }
            next = follow([place], from: statement)
        }
        return steps
    }

    /// Returns the first step of a statement, or `nil` if the program is not inside it.
    ///
    /// SQLite sets the program counter to 0 at the start, and to a later instruction when the step
    /// returns without an error.
    func firstStep(of statement: UInt64, _ connection: UInt64) -> FirstStep? {
        let fields = [
            layout.connection, layout.programCounter, layout.resultCode, layout.sql,
            layout.steps + 8,
        ]
        let content = bytes(at: statement, count: (fields.max() ?? 0) + 8)
        guard content.u64(layout.connection) == connection,
            content.u32(layout.programCounter) == 0, content.u32(layout.resultCode) == 0,
            let sql = content.u64(layout.sql), sql != 0, let runs = content.u32(layout.steps + 8)
        else { return nil }
        return FirstStep(statement: statement, connection: connection, sql: sql, runs: runs)
    }

    /// Whether a statement has left a step and was not reset since.
    func isOpen(_ step: FirstStep) -> Bool {
        let counter = bytes(at: step.statement &+ UInt64(layout.programCounter), count: 4).u32(0)
        let runs = bytes(at: step.statement &+ UInt64(layout.steps + 8), count: 4).u32(0)
        return follow([layout.connection], from: step.statement) == step.connection
            && runs == step.runs && (counter.map { Int32(bitPattern: $0) >= 0 } ?? false)
    }

    // MARK: Settings

    private func readConnection(
        _ address: UInt64,
        inode: LittleEndian?,
        settings: inout ConnectionSettings
    ) {
        let connection = bytes(at: address, count: StatementLayout.limit)
        if let calls = layout.busyCalls, let place = layout.busyTimeout,
            let handler = connection.u64(calls - 16), let argument = connection.u64(calls - 8),
            let time = connection.u32(place).flatMap({ Int(exactly: Int32(bitPattern: $0)) })
        {
            // The built-in handler has the connection as its argument, and another one no timeout.
            if handler == 0 || argument == address && time > 0 {
                settings.busyTimeoutMilliseconds = handler == 0 ? 0 : time
                settings.hasOwnBusyHandler = false
            } else if time == 0 {
                settings.hasOwnBusyHandler = true
            }
        }
        settings.foreignKeys = bit(.foreignKeys, in: connection)
        settings.isQueryOnly = bit(.queryOnly, in: connection)
        readCommitHook(connection, settings: &settings)
        let mutex = layout.settings[.mutex].flatMap { connection.u64($0) }
        if let mutex, mutex != 0 {
            settings.threading = .serialized
        } else if layout.settings[.withoutThreads] == 1 {
            settings.threading = .singleThread
        } else if mutex == 0, let place = layout.settings[.inodeMutex],
            let shared = inode?.u64(place)
        {
            settings.threading = shared == 0 ? .singleThread : .multiThread
        }
    }

    private func readCommitHook(_ connection: LittleEndian, settings: inout ConnectionSettings) {
        guard let place = layout.settings[.walArgument], let builtin = layout.settings[.walHook],
            let hook = connection.u64(place - 8), let argument = connection.u64(place), let code
        else { return }
        let isBuiltin =
            code.range.contains(hook)
            && hook - code.range.lowerBound &+ code.offset == UInt64(builtin)
        if hook == 0 {
            settings.autocheckpointFrames = 0
        } else if isBuiltin {
            guard let frames = Int32(exactly: argument) else { return }
            settings.autocheckpointFrames = Int(frames)
        }
        settings.hasOwnCommitHook = hook != 0 && !isBuiltin
    }

    private func readPager(_ structures: Structures, settings: inout ConnectionSettings) {
        let pager = bytes(at: structures.pager, count: StatementLayout.limit / 2)
        if let mode = layout.settings[.journalMode].flatMap({ pager.u8($0) }).map(Int.init) {
            let modes = ConnectionSettings.JournalMode.allCases
            settings.journalMode = modes.indices.contains(mode) ? modes[mode] : nil
        }
        settings.keepsLocks = flag(.exclusive, in: pager)
        settings.isReadOnly = flag(.readOnly, in: pager)
        if let never = flag(.noSync, in: pager), let full = flag(.fullSync, in: pager),
            let extra = flag(.extraSync, in: pager)
        {
            settings.synchronous = never ? .off : extra ? .extra : full ? .full : .normal
        }
    }

    /// Returns the size of the cache, or `nil` before the schema is read, which sets it.
    private func cacheSize(_ structures: Structures) -> Int? {
        func number(
            _ start: UInt64,
            pointer: ConnectionLayout.Field,
            field: ConnectionLayout.Field
        ) -> Int32? {
            guard let pointer = layout.settings[pointer], let offset = layout.settings[field],
                let target = follow([pointer], from: start)
            else { return nil }
            return bytes(at: target &+ UInt64(offset), count: 4).u32(0)
                .map { Int32(bitPattern: $0) }
        }
        guard let size = number(structures.pager, pointer: .cache, field: .cacheSize), size != 0,
            size == number(structures.database, pointer: .schema, field: .schemaCacheSize)
        else { return nil }
        return Int(size)
    }

    /// Returns what the open file contains, or `nil` if its type may be another one.
    private func openFile(
        _ connection: UInt64,
        structures: Structures
    ) -> (mapping: UInt64?, inode: LittleEndian?, openFiles: Int?)? {
        guard let place = layout.settings[.file], let system = layout.settings[.fileSystem],
            let file = follow([place], from: structures.pager),
            let found = follow([system], from: file), found == follow([0], from: connection)
        else { return nil }
        let limit = layout.settings[.mappingLimit]
            .flatMap { bytes(at: file &+ UInt64($0), count: 8).u64(0) }
        let inode = layout.settings[.inode].flatMap { follow([$0], from: file) }
            .map { bytes(at: $0, count: 128) }
        let count = layout.settings[.openFiles].flatMap { inode?.u32($0) }
            .flatMap { (1...Self.openFileLimit).contains(Int($0)) ? Int($0) : nil }
        return (limit.flatMap { Int64(exactly: $0) == nil ? nil : $0 }, inode, count)
    }

    // MARK: Memory

    private func bytes(at address: UInt64, count: Int) -> LittleEndian {
        memory.bytes(ofProcess: process, at: address, count: count)
    }

    private func follow(_ offsets: [Int], from address: UInt64) -> UInt64? {
        memory.follow(offsets, from: address, ofProcess: process)
    }

    /// Returns the value of a byte that is 0 or 1.
    private func flag(_ field: ConnectionLayout.Field, in bytes: LittleEndian) -> Bool? {
        guard let value = layout.settings[field].flatMap({ bytes.u8($0) }), value < 2 else {
            return nil
        }
        return value == 1
    }

    private func bit(_ field: ConnectionLayout.Field, in bytes: LittleEndian) -> Bool? {
        layout.settings[field].flatMap { place in
            bytes.u8(place / 8).map { $0 >> (place % 8) & 1 == 1 }
        }
    }
}
